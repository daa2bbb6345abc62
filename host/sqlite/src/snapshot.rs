//! A transaction that only reads, and what it waits for before it has a reader.
//!
//! BEGIN DEFERRED begins a snapshot that may read much: once such a snapshot was slow, the next ones get the ticket of a
//! slow request before they borrow a reader.

use super::Database;
use super::error::DatabaseError;
use super::readers::Reader;
use super::result_memory::ResultMemory;
use super::statement;
use spindle_admission::{Class, Holding, Ticket};
use spindle_manifest::SqlRights;
use spindle_store::BEGIN_LARGE_READ;
use std::sync::Arc;

/// A caller that did not wait for the end of a slow statement uses the snapshot again.
const STILL_RUNNING: DatabaseError =
    DatabaseError::Refused("the last statement of this transaction is still running");

/// A transaction that only reads.
pub(super) struct Snapshot {
    /// `None` while a slow statement runs on another thread.
    reader: Option<Reader>,
    /// It may read much: its statements show whether the next one of its kind will be slow.
    pub(super) is_large: bool,
}

impl Snapshot {
    /// Begins a snapshot by the statement `sql`, for the request with this ticket.
    ///
    /// # Errors
    ///
    /// `Overloaded` and `NoReader` after waiting for too long.
    pub(super) async fn begin(
        database: &Database,
        rights: Option<&Arc<SqlRights>>,
        ticket: Option<&Ticket>,
        sql: &str,
    ) -> Result<Self, DatabaseError> {
        let is_large = sql == BEGIN_LARGE_READ;
        if let Some(ticket) = ticket
            && is_large
            && database.slow.knows(sql, || None)
        {
            ticket.exchange(Class::Slow, Holding::Nothing).await?;
        }
        let reader = database.readers.take(ticket.map(Ticket::client)).await?;
        let mut room = ResultMemory::new(database.options());
        reader.with(|opened| statement::query(opened, rights, sql, &[], &mut room))?;
        Ok(Self {
            reader: Some(reader),
            is_large,
        })
    }

    /// The reader that has the snapshot open.
    pub(super) fn reader(&self) -> Result<&Reader, DatabaseError> {
        self.reader.as_ref().ok_or(STILL_RUNNING)
    }

    /// The same, for a statement that runs on another thread.
    pub(super) fn lend_reader(&mut self) -> Result<Reader, DatabaseError> {
        self.reader.take().ok_or(STILL_RUNNING)
    }

    /// Ends the loan.
    pub(super) fn take_back(&mut self, reader: Reader) {
        self.reader = Some(reader);
    }
}
