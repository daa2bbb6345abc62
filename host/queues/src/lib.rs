//! The event-queue service: holds long polls and answers them with the events of their queues.
//!
//! A queue is a cursor and a filter over the event log; its contents, and therefore the ids of its
//! events, are derived and identical after any restart, and on every node that shares the database. The
//! service reads the main database and writes only its journal. It must not decide who may register a queue: components authenticate
//! and hand polls over. Design: docs/ARCHITECTURE.md; docs/protocol/events.md,
//! docs/protocol/register.md#snapshot.

mod answer;
mod cached_row;
mod collection;
mod deadlines;
mod delivery;
mod ended_credentials;
mod follower;
mod heartbeat;
mod held_poll;
mod inner;
mod journal;
mod known_queues;
mod loading;
mod log;
mod maintenance;
mod offset;
mod options;
mod poll;
mod queue;
mod replay;
mod ring;
mod service;
mod shared;
mod statistics;
mod table;
mod task_health;
mod waiting_polls;
mod wake_signal;

#[cfg(test)]
mod tests;

pub use answer::{Answer, AnswerBody, PollOutcome};
pub use collection::Collection;
pub use inner::READING_THREADS;
pub use options::EventOptions;
pub use poll::PollRequest;
pub use queue::Credential;
pub use service::{EventService, EventsFailure};
