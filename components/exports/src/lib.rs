//! Data exports of the organization.
//!
//! Owns the operations for administrators; the host builds the archives, and the component `files` serves
//! them.

mod delete_realm_export;
mod export_realm;
mod get_export_consents;
mod get_realm_exports;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    delete_realm_export::OPERATION,
    export_realm::OPERATION,
    get_export_consents::OPERATION,
    get_realm_exports::OPERATION,
];

spindle_guest::component!(OPERATIONS);
