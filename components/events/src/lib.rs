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

spindle_guest::component!(OPERATIONS);
