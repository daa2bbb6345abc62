//! The server itself: settings, sign-in, static documents, and the answer for unknown paths.
//!
//! Owns the server settings, the exchange of a password for an API key or a session, and documents that are
//! the same for all clients. Must not have operations on objects of the organization; those have components
//! of their own.

mod create_session;
mod document;
mod end_current_session;
mod end_other_sessions;
mod end_session;
mod fetch_api_key;
mod get_emoji_data;
mod get_extra_emoji;
mod get_openapi;
mod get_server_figures;
mod get_server_settings;
mod get_sessions;
mod get_spinner;

use spindle_guest::Operation;

/// Every operation of this component. Its route in the manifest is the fallback for all paths, so that
/// unknown ones are answered in JSON as well.
pub static OPERATIONS: &[Operation] = &[
    get_server_settings::OPERATION,
    get_server_figures::OPERATION,
    fetch_api_key::OPERATION,
    create_session::OPERATION,
    get_sessions::OPERATION,
    end_other_sessions::OPERATION,
    end_current_session::OPERATION,
    end_session::OPERATION,
    get_openapi::OPERATION,
    get_emoji_data::OPERATION,
    get_extra_emoji::OPERATION,
    get_spinner::OPERATION,
];

spindle_guest::component!(OPERATIONS, counting attempts);
