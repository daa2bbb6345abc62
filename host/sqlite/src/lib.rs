//! SQLite for guests and for the host itself: one file, many readers, one writer.
//!
//! `Database` is shared by all components and by native code (event service, jobs); all writes
//! go through one queue and one group commit. Guests use it through
//! `runtime/imports` as `spin:sqlite@3.1.0`, actions that the host calls through `native.rs`. SQL of the application does
//! not belong here.

mod authorizer;
#[cfg(test)]
mod authorizer_tests;
mod checkpoint;
mod committer;
mod connection;
mod damage;
mod error;
mod group;
mod group_window;
mod native;
mod options;
mod read;
mod readers;
mod result_memory;
mod schema;
mod session;
mod slow_statements;
mod snapshot;
mod statement;
mod statistics;
#[cfg(test)]
mod tests;
mod transaction;
mod turns;
mod uncertain_commit;
#[cfg(test)]
mod waiting_tests;
mod writer;

pub use damage::Damage;
pub use error::DatabaseError;
pub use native::NativeConnection;
pub use options::{DatabaseOptions, Synchronous};
pub use session::Session;
pub use statistics::Statistics;

use readers::Readers;
use rusqlite::Connection;
use slow_statements::SlowStatements;
use std::sync::Arc;
use tokio::sync::watch;
use writer::Writer;

/// An open SQLite file. Cloning is cheap and shares everything.
#[derive(Clone)]
pub struct Database {
    readers: Arc<Readers>,
    writer: Arc<Writer>,
    slow: Arc<SlowStatements>,
}

impl Database {
    /// Opens the file, creating it when absent, in write-ahead mode.
    ///
    /// Must be called within a tokio runtime.
    pub fn open(options: &DatabaseOptions) -> Result<Self, DatabaseError> {
        let writer = Writer::open(options)?;
        tokio::spawn(transaction::watch_over(Arc::downgrade(&writer)));
        checkpoint::spawn(&writer);
        let readers = Readers::new(options);
        readers.look_after();
        Ok(Self {
            writer,
            readers,
            slow: Arc::default(),
        })
    }

    /// The settings it was opened with.
    pub fn options(&self) -> &DatabaseOptions {
        &self.writer.options
    }

    /// Counters since it was opened.
    pub fn statistics(&self) -> &Statistics {
        &self.writer.statistics
    }

    /// Notified after every group commit; the value is the number of group commits. Only a hint:
    /// other processes may commit as well.
    pub fn commits(&self) -> watch::Receiver<u64> {
        self.writer.committed.subscribe()
    }

    /// Calls `f` after every group commit, on the thread that has committed and before the members
    /// are answered: `f` must be quick and must not block.
    pub fn on_commit(&self, f: impl Fn() + Send + 'static) {
        self.writer.listeners().push(Box::new(f));
    }

    /// Runs `f` on a read connection, on the calling thread: keep it short.
    /// For several statements on one state of the data, open a transaction in
    /// `f` (`connection.unchecked_transaction()`).
    ///
    /// # Errors
    ///
    /// Those of `f`, and `NoReader`.
    pub async fn read<T, E>(&self, f: impl FnOnce(&Connection) -> Result<T, E>) -> Result<T, E>
    where
        E: From<DatabaseError>,
    {
        let reader = self.readers.take(None).await?;
        self.statistics().read();
        let mut outcome = None;
        reader.with(|opened| {
            outcome = Some(f(&opened.connection));
            Ok(())
        })?;
        outcome.unwrap_or_else(|| Err(NOT_RUN.into()))
    }

    /// Runs `f` as one write transaction, queued with all others, and returns when it is durable.
    /// `f` runs on the calling thread while all other writers wait; it must not begin or end
    /// transactions itself. An error of `f` rolls the transaction back.
    ///
    /// # Errors
    ///
    /// Those of `f`, `Busy`, and `CommitFailed`.
    pub async fn write<T, E>(&self, f: impl FnOnce(&Connection) -> Result<T, E>) -> Result<T, E>
    where
        E: From<DatabaseError> + std::fmt::Display,
    {
        let transaction = self.writer.begin(None).await?;
        let mut outcome = None;
        let ran = transaction.with(|opened| {
            let returned = f(&opened.connection);
            let failed = returned.as_ref().err().map(ToString::to_string);
            outcome = Some(returned);
            failed.map_or(Ok(()), |reason| Err(DatabaseError::Rollback(reason)))
        });
        match (ran, outcome) {
            (Ok(()), Some(Ok(value))) => {
                transaction.commit()?.durable().await?;
                Ok(value)
            }
            (_, Some(Err(error))) => Err(error),
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => Err(NOT_RUN.into()),
        }
    }
}

const NOT_RUN: DatabaseError = DatabaseError::Refused("the closure did not run");
