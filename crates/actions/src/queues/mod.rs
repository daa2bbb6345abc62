//! Event queues: registered together with the snapshot that they continue, deleted, collected. The
//! event-queue service reads their events.

mod collect_queues;
mod delete_queue;
pub(crate) mod register;

pub use collect_queues::collect_queues;
pub use delete_queue::delete_queue;
pub use register::{RegisterInput, Registered, register};
