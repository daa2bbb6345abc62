//! The organization: its settings, profile fields, linkifiers and custom emoji.
//!
//! Owns operations on what all users of the organization share. People, groups and channels
//! have components of their own.

mod create_profile_field;
mod delete_profile_field;
mod get_profile_fields;
mod reorder_profile_fields;
mod update_profile_field;
mod update_user_settings_defaults;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_profile_fields::OPERATION,
    create_profile_field::OPERATION,
    reorder_profile_fields::OPERATION,
    update_profile_field::OPERATION,
    delete_profile_field::OPERATION,
    update_user_settings_defaults::OPERATION,
];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
