//! Channels, subscriptions and channel folders.
//!
//! Owns the operations on channels as objects and on who is subscribed to them. Messages in
//! channels belong to the component `messages`.

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
