//! Events: their contents, their audience, and their form for each queue.
//!
//! A change builds an [`Event`] with one of the constructors in [`kinds`] and writes [`Event::into_row`]
//! to the log in its own transaction. The event-queue service reads the log back as [`LogRow`] and calls
//! [`accept`] for the events that a queue receives. `accept` is a pure function of the row and the
//! [`Registration`]; event ids are counted over its results, so it must not depend on anything else (no
//! clock, no tables, no configuration), and a change of it must not alter how many events an existing row
//! yields for an existing registration. This crate does no I/O. See docs/protocol/events.md.

mod accept;
mod audience;
mod capabilities;
mod error;
mod event;
pub mod kinds;
mod log_row;
mod narrow;
mod notice;
mod payload;
mod registration;
mod source;
mod traits;
mod user_set;

pub use accept::{ACCEPT_VERSION, accept, render, select};
pub use audience::Audience;
pub use capabilities::Capabilities;
pub use error::EventsError;
pub use event::{Event, Record, Row};
pub use log_row::{LogRow, QueueNotice};
pub use narrow::Narrow;
pub use notice::credentials_ended;
pub use payload::Payload;
pub use registration::{Registration, resolve_event_types};
pub use source::Variant;
pub use user_set::UserSet;
