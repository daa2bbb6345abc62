//! What users keep for themselves: settings, presence, mutes, snippets, views, push devices.
//!
//! Owns operations on the caller's own things. Nothing here shows anything of others but
//! their presence.

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
