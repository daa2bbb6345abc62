//! People: accounts, profiles and statuses.
//!
//! Owns operations on accounts. Rules about who may see or change whom are in the domain and
//! reached through actions.

mod bot_defaults;
mod bot_storage;
mod create_bot;
mod create_user;
mod deactivate_bot;
mod deactivate_own_user;
mod deactivate_user;
mod get_bot_api_key;
mod get_bots;
mod get_own_user;
mod get_user;
mod get_user_presence;
mod get_user_status;
mod get_users;
mod named_user;
mod reactivate_user;
mod regenerate_bot_api_key;
mod remove_own_profile;
mod update_bot;
mod update_own_profile;
mod update_status;
mod update_status_of_user;
mod update_user;

use spindle_guest::Operation;

/// Every operation of this component. Of two paths that fit alike the first is taken, so ids
/// come before addresses.
pub static OPERATIONS: &[Operation] = &[
    get_own_user::OPERATION,
    deactivate_own_user::OPERATION,
    update_own_profile::OPERATION,
    remove_own_profile::OPERATION,
    update_status::OPERATION,
    get_users::OPERATION,
    create_user::OPERATION,
    get_user::BY_ID,
    update_user::BY_ID,
    deactivate_user::OPERATION,
    get_user::BY_EMAIL,
    update_user::BY_EMAIL,
    reactivate_user::OPERATION,
    get_user_status::OPERATION,
    get_user_presence::OPERATION,
    get_bots::OPERATION,
    create_bot::OPERATION,
    update_bot::OPERATION,
    deactivate_bot::OPERATION,
    get_bot_api_key::OPERATION,
    regenerate_bot_api_key::OPERATION,
    update_status_of_user::OPERATION,
    bot_storage::GET,
    bot_storage::SET,
    bot_storage::DELETE,
];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
