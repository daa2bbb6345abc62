//! The one error type of this crate.
//!
//! Narrow errors are shown to clients by the caller, which words them; row errors mean that
//! a log row was not written by this crate and are for the operator's log.

/// What can be wrong with a narrow given to register, or with a row read from the log.
#[derive(Debug, thiserror::Error)]
pub enum EventsError {
    /// The narrow of register knows only a few operators (protocol-facts 3.3).
    #[error("a queue cannot be narrowed by {operator:?}")]
    NarrowOperator { operator: String },
    /// `is` with an operand that is unknown here.
    #[error("a queue cannot be narrowed by is:{operand}")]
    NarrowOperand { operand: String },
    /// The row's body or audience is not what [`crate::Event::into_row`] writes.
    #[error("event log row {seq} cannot be read: {source}")]
    Row { seq: i64, source: serde_json::Error },
}
