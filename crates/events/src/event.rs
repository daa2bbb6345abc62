//! An event before it is written to the log.
//!
//! The body holds the fields of the wire without `id` and `type`. A kind with several wire forms stores
//! the data to build them under the key `facts`, which is never sent.

use serde_json::{Map, Value};

use crate::Audience;

/// A JSON object, such as one user or one channel in its wire form.
pub type Record = Map<String, Value>;

/// Key of the body that [`crate::accept`] reads and never sends.
pub(crate) const FACTS: &str = "facts";

/// An event for clients. Built by the functions in [`crate::kinds`].
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Wire type, such as `message`.
    pub event_type: &'static str,
    /// Wire fields without `id` and `type`, and `facts`.
    pub body: Record,
    /// The recipients.
    pub audience: Audience,
}

/// The columns `type`, `body` and `audience` of one row of `event_log`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub event_type: &'static str,
    /// JSON object.
    pub body: String,
    /// JSON object.
    pub audience: String,
}

impl Event {
    pub(crate) fn new(event_type: &'static str, body: Record, audience: Audience) -> Self {
        Self {
            event_type,
            body,
            audience,
        }
    }

    /// The event as the log stores it.
    #[must_use]
    pub fn into_row(self) -> Row {
        Row {
            event_type: self.event_type,
            body: Value::Object(self.body).to_string(),
            audience: self.audience.to_json(),
        }
    }
}

/// Builds a [`Record`] from `(name, value)` pairs.
pub(crate) fn record<const N: usize>(fields: [(&str, Value); N]) -> Record {
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
