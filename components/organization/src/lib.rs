//! The organization: its settings, profile fields, linkifiers and custom emoji.
//!
//! Owns operations on what all users of the organization share. People, groups and channels
//! have components of their own.

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
