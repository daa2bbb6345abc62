//! Events: what a change tells clients, whom it tells, and what one queue receives of it.
//!
//! A change builds an [`Event`] with one of the constructors in [`kinds`] and writes
//! [`Event::into_row`] to the log in its own transaction. Whoever serves a queue reads the
//! log back as [`LogRow`] and asks [`accept`] what that queue is given. `accept` is a pure
//! function of the row and the [`Registration`]; event ids are counted over its results, so
//! it must never look at anything else (no clock, no tables, no configuration), and a change
//! to it must not alter how many events an existing row yields for an existing registration.
//! This crate does no I/O. Specification: "Event system"; protocol-facts 3.

mod accept;
mod audience;
mod capabilities;
mod error;
mod event;
pub mod kinds;
mod log_row;
mod narrow;
mod payload;
mod registration;
mod source;
mod traits;
mod user_set;

pub use accept::{accept, render, select};
pub use audience::Audience;
pub use capabilities::Capabilities;
pub use error::EventsError;
pub use event::{Event, Record, Row};
pub use log_row::LogRow;
pub use narrow::Narrow;
pub use payload::Payload;
pub use registration::{Registration, resolve_event_types};
pub use source::Variant;
pub use user_set::UserSet;
