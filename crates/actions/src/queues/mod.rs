//! Event queues: made together with the snapshot that they continue, deleted, collected. What
//! is in them is the matter of the event-queue service.

mod collect_queues;
mod delete_queue;
pub(crate) mod register;

pub use collect_queues::collect_queues;
pub use delete_queue::delete_queue;
pub use register::{RegisterInput, Registered, register};
