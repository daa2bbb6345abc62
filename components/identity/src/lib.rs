//! Signing in: passwords, company accounts, second factors, sessions and API keys of the caller.
//!
//! Owns the operations that turn a proof of identity into a session or a key, and that end these. Other
//! people's accounts are the component `users`'s, but for the reset of a second factor, whose tables are here.

mod begin_identity;
mod begin_passkey;
mod begin_passkey_answer;
mod begin_totp;
mod complete_identity;
mod confirm_passkey;
mod confirm_totp;
mod create_api_key;
mod create_session;
mod delete_identity;
mod end_api_key;
mod end_current_session;
mod end_other_sessions;
mod end_session;
mod fetch_api_key;
mod get_api_keys;
mod get_identities;
mod get_identity_icon;
mod get_second_factor;
mod get_sessions;
mod open_app_flow;
mod open_app_token;
mod provider;
mod remove_passkey;
mod remove_totp;
mod renew_recovery_codes;
mod reset_second_factor;
mod sign_in_app;
mod sign_out_identity;

use serde_json::json;
use spindle_actions::account::PasskeyChallenge;
use spindle_guest::{Failure, Operation, Reply};

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
    sign_in_app::OPERATION,
    open_app_flow::OPERATION,
    open_app_token::OPERATION,
    get_second_factor::OPERATION,
    begin_totp::OPERATION,
    confirm_totp::OPERATION,
    remove_totp::OPERATION,
    begin_passkey::OPERATION,
    confirm_passkey::OPERATION,
    remove_passkey::OPERATION,
    begin_passkey_answer::OPERATION,
    renew_recovery_codes::OPERATION,
    reset_second_factor::OPERATION,
];

spindle_guest::component!(OPERATIONS, counting attempts);

/// What a browser asks its devices for.
fn challenge(made: PasskeyChallenge) -> Result<Reply, Failure> {
    let fields = json!({"options": made.options, "state": made.state});
    Ok(spindle_wire::Reply::of(&fields)?.into())
}
