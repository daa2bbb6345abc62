//! Event queues: polling and deletion. Behaviour that depends on time is tested in `timers`.

mod delete_queue;
mod ended_credentials;
mod get_events;
mod table;
