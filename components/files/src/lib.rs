//! Files that people see: avatars.
//!
//! Owns the addresses of these files and what they are drawn from. It has no access to the
//! database: who exists must not be learnt from here. The files themselves lie with the
//! event-queue service, since components cannot write any.

mod get_avatar;
mod identicon;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[get_avatar::OPERATION, get_avatar::OPERATION_MEDIUM];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
