//! Registration of event queues.
//!
//! Owns the reading of what a client asks of its queue. The snapshot and the queue are an
//! action; delivery is the `events` component and the event-queue service.

mod register;

use spindle_guest::Operation;

/// Every operation of this component.
pub static OPERATIONS: &[Operation] = &[register::OPERATION];

#[cfg(target_arch = "wasm32")]
#[spin_sdk::http_service]
async fn handle(request: spin_sdk::http::Request) -> impl spin_sdk::http::IntoResponse {
    spindle_guest::serve(OPERATIONS, request).await
}
