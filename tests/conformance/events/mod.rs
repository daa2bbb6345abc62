//! Event queues: polling and deletion. What only time shows is in `timers`.

mod delete_queue;
mod get_events;
