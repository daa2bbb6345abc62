//! The server itself: settings, static documents, and the answer for unknown paths.
//!
//! Owns the server settings and documents that are the same for all clients. Must not have operations on objects of the organization; those have components
//! of their own.

mod document;
mod get_emoji_data;
mod get_extra_emoji;
mod get_openapi;
mod get_server_figures;
mod get_server_settings;
mod get_spinner;

use spindle_guest::Operation;

/// Every operation of this component. Its route in the manifest is the fallback for all paths, so that
/// unknown ones are answered in JSON as well.
pub static OPERATIONS: &[Operation] = &[
    get_server_settings::OPERATION,
    get_server_figures::OPERATION,
    get_openapi::OPERATION,
    get_emoji_data::OPERATION,
    get_extra_emoji::OPERATION,
    get_spinner::OPERATION,
];

spindle_guest::component!(OPERATIONS);
