//! Admission: whether a request may enter before its operation is dispatched.
//!
//! Owns the interface of an admission check, and the check that admits every request. It reads nothing of an operation
//! but its row in the table, and after the answer waits only for its own work.

use crate::{Connect, Operation};
use spindle_wire::{ApiError, Request, Response};

/// A check before every request. A type, not a value, so that a component without a check imports
/// no interface for it.
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

/// Admits every request.
pub(crate) struct AdmitAll;

impl Admission for AdmitAll {
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
