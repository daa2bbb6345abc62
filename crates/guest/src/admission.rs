//! What may turn a request away before any operation looks at it.
//!
//! Owns the shape of such a door, and the one that stands open. It must not know of operations
//! beyond their table, nor wait for anything after the answer but what it has begun itself.

use crate::{Connect, Operation};
use spindle_wire::{ApiError, Request, Response};

/// Who may come in at all. A type, not a value, so that a component which admits everybody
/// imports nothing that it does not need.
pub(crate) trait Admission {
    /// Kept until the request is answered.
    type Ticket;

    /// Before an operation runs, at `now` (UNIX seconds).
    async fn admit(
        table: &'static [Operation],
        request: &Request,
        connect: &dyn Connect,
        now: i64,
    ) -> Result<Self::Ticket, ApiError>;

    /// The request was answered.
    async fn answered(ticket: Self::Ticket, response: &Response);
}

/// No door.
pub(crate) struct Everybody;

impl Admission for Everybody {
    type Ticket = ();

    async fn admit(
        _: &'static [Operation],
        _: &Request,
        _: &dyn Connect,
        _: i64,
    ) -> Result<(), ApiError> {
        Ok(())
    }

    async fn answered((): (), _: &Response) {}
}
