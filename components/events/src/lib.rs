//! Event queues: polling and deletion.
//!
//! Owns access to queues. Must not hold polls or store positions: a poll is handed off to the
//! event-queue service, so that it occupies no instance.

mod delete_queue;
mod get_events;
mod queue_id;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[get_events::OPERATION, delete_queue::OPERATION];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
