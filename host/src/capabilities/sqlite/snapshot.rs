//! The beginning of a transaction that only reads: what it waits for before it has a reader.
//!
//! BEGIN DEFERRED begins a snapshot that may read much: once such a snapshot was slow, the next ones wait for
//! the permit of a slow read before they borrow a reader, and keep it for all their statements. Of the others, a
//! client may have a few at once, so that it leaves readers to the other clients, and none of its slow reads is refused
//! for the number of those that wait.

use super::Database;
use super::error::DatabaseError;
use super::options::DatabaseOptions;
use super::readers::Reader;
use super::result_memory::ResultMemory;
use super::slow::{SlowReadPermit, max_snapshots_of_client};
use super::statement;
use crate::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use crate::manifest::SqlRights;
use crate::memory::Client;
use spindle_store::BEGIN_LARGE_READ;
use std::sync::Arc;
use std::time::Duration;

/// A snapshot that may not begin yet waits for this many times the limit of other waits. It holds nothing
/// meanwhile, and clients that all come back at once, after a restart, are served one after the other.
const TIMEOUT_FACTOR: u32 = 3;

/// A caller that did not wait for the end of a slow statement uses the snapshot again.
const STILL_RUNNING: DatabaseError =
    DatabaseError::Refused("the last statement of this transaction is still running");

/// A transaction that only reads.
pub(super) struct Snapshot {
    /// `None` while a slow statement runs on another thread.
    reader: Option<Reader>,
    /// It may read much: its statements show whether the next one of its kind will be slow.
    pub(super) is_large: bool,
    /// The permit of the whole snapshot, where its kind is known to be slow.
    pub(super) permit: Option<SlowReadPermit>,
    /// One of those of its client, where it has no such permit.
    _client_permit: Option<ConcurrencyPermit>,
}

/// The limit on the snapshots of each client.
pub(super) fn limit(options: &DatabaseOptions) -> ConcurrencyLimit {
    ConcurrencyLimit::new(max_snapshots_of_client(), timeout(options))
}

fn timeout(options: &DatabaseOptions) -> Duration {
    options.wait_limit * TIMEOUT_FACTOR
}

impl Snapshot {
    /// Begins a snapshot for `client` by the statement `sql`.
    ///
    /// # Errors
    ///
    /// `TooManySlowReads` and `NoReader` after waiting for too long.
    pub(super) async fn begin(
        database: &Database,
        rights: Option<&Arc<SqlRights>>,
        client: Option<Client>,
        sql: &str,
    ) -> Result<Self, DatabaseError> {
        let is_large = sql == BEGIN_LARGE_READ;
        let permit = if is_large && database.slow.knows(sql) {
            let timeout = timeout(database.options());
            Some(database.slow.acquire(client, false, timeout).await?)
        } else {
            None
        };
        let client_permit = match client.filter(|_| permit.is_none()) {
            Some(client) => {
                let client_permit = database.snapshots.acquire(client).await;
                Some(client_permit.ok_or(DatabaseError::TooManySlowReads)?)
            }
            None => None,
        };
        let reader = database.readers.take().await?;
        let mut room = ResultMemory::new(database.options());
        reader.with(|opened| statement::query(opened, rights, sql, &[], &mut room))?;
        Ok(Self {
            reader: Some(reader),
            is_large,
            permit,
            _client_permit: client_permit,
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
