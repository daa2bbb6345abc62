//! People: the own record, and statuses.
//!
//! Owns operations on accounts. Rules about who may see or change whom are in the domain and
//! reached through actions.

mod get_own_user;
mod get_user_status;
mod update_status;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[
    get_own_user::OPERATION,
    get_user_status::OPERATION,
    update_status::OPERATION,
];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
