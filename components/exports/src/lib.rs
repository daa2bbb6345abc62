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

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
