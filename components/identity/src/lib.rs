//! Signing in: passwords, company accounts, sessions and API keys of the caller.
//!
//! Owns the operations that turn a proof of identity into a session or a key, and that end these. Must not
//! administer other people's accounts; the component `users` does.

mod create_api_key;
mod create_session;
mod end_api_key;
mod begin_identity;
mod complete_identity;
mod create_session;
mod delete_identity;
mod end_current_session;
mod end_other_sessions;
mod end_session;
mod fetch_api_key;
mod get_api_keys;
mod get_identities;
mod get_identity_icon;
mod get_sessions;
mod provider;
mod sign_out_identity;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    fetch_api_key::OPERATION,
    create_session::OPERATION,
    get_sessions::OPERATION,
    end_other_sessions::OPERATION,
    end_current_session::OPERATION,
    end_session::OPERATION,
    get_api_keys::OPERATION,
    create_api_key::OPERATION,
    end_api_key::OPERATION,
    get_identities::OPERATION,
    delete_identity::OPERATION,
    begin_identity::OPERATION,
    complete_identity::OPERATION,
    sign_out_identity::OPERATION,
    get_identity_icon::OPERATION,
];

spindle_guest::component!(OPERATIONS, counting attempts);
