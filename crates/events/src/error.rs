//! The error type of this crate.
//!
//! The caller translates narrow errors for clients; row errors mean that a log row was not written by
//! this crate, and are for the operator's log.

/// An error in a narrow given to register, or in a row read from the log.
#[derive(Debug, thiserror::Error)]
pub enum EventsError {
    /// The narrow of register supports only a few operators (docs/protocol/events.md#delivery).
    #[error("a queue cannot be narrowed by {operator:?}")]
    NarrowOperator { operator: String },
    /// `is` with an operand that is not supported here.
    #[error("a queue cannot be narrowed by is:{operand}")]
    NarrowOperand { operand: String },
    /// The row's body or audience was not written by [`crate::Event::into_row`].
    #[error("event log row {seq} cannot be read: {source}")]
    Row { seq: i64, source: serde_json::Error },
}
