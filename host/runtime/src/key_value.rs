//! `spin:key-value@3.0.0`: small values that may be lost without harm.
//!
//! All stores are in one SQLite file, separate from the main database and written without waiting
//! for the disk; or, where several nodes share a database on a server, in a table of it.

use rusqlite::OptionalExtension;
use spindle_bindings::spin::key_value::key_value::Error;
use spindle_database::Location;
use spindle_sqlite::{Database, DatabaseError, DatabaseOptions, Synchronous};
use spindle_store::{Connection, DbError, nodes};
use spindle_system::disk_space::DiskSpace;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;
use tokio::task::JoinError;

/// Most concurrent statements on a server; others wait.
const STATEMENTS: usize = 8;

/// The storage behind all key-value stores. Cloning is cheap.
#[derive(Clone)]
pub enum KeyValue {
    /// A file.
    File(Database),
    /// A table that several nodes share.
    Shared(Arc<SharedTable>),
}

/// A database of a server, and connections to it.
pub struct SharedTable {
    location: Location,
    idle: Mutex<Vec<Box<dyn Connection + Send>>>,
    slots: Semaphore,
}

/// Why a store cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    File(#[from] DatabaseError),
    #[error(transparent)]
    Shared(#[from] DbError),
    #[error("the work ended early: {0}")]
    Ended(#[from] JoinError),
}

impl SharedTable {
    async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&dyn Connection) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, Failure> {
        // It is never closed.
        let _slot = self.slots.acquire().await;
        let table = Arc::clone(self);
        let working = tokio::task::spawn_blocking(move || {
            let kept = table.idle().pop();
            let connection = match kept {
                Some(connection) => connection,
                None => table.location.connect()?,
            };
            let outcome = work(&*connection);
            // After an error it may be lost.
            if outcome.is_ok() {
                table.idle().push(connection);
            }
            outcome
        });
        Ok(working.await??)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Box<dyn Connection + Send>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeyValue {
    /// Opens the file at `path`, creating it and its one table when absent.
    pub async fn open(
        path: &Path,
        disk_space: Option<Arc<DiskSpace>>,
    ) -> Result<Self, DatabaseError> {
        let database = Database::open(&DatabaseOptions {
            disk_space,
            synchronous: Synchronous::Normal,
            max_readers: 8,
            ..DatabaseOptions::new(path)
        })?;
        database
            .write(|connection| {
                connection.execute_batch(
                    "CREATE TABLE IF NOT EXISTS entries (store TEXT NOT NULL, key TEXT NOT NULL, \
                     value BLOB NOT NULL, PRIMARY KEY (store, key)) WITHOUT ROWID",
                )?;
                Ok::<(), DatabaseError>(())
            })
            .await?;
        Ok(Self::File(database))
    }

    /// The stores in a database of a server, which other nodes use too.
    #[must_use]
    pub fn shared(location: Location) -> Self {
        Self::Shared(Arc::new(SharedTable {
            location,
            idle: Mutex::default(),
            slots: Semaphore::new(STATEMENTS),
        }))
    }

    pub(crate) async fn get(&self, label: &str, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        let database = match self {
            Self::File(database) => database,
            Self::Shared(table) => {
                let (label, key) = (label.to_owned(), key.to_owned());
                return table.run(move |db| nodes::value(db, &label, &key)).await;
            }
        };
        let read = database.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT value FROM entries WHERE store = ?1 AND key = ?2")?;
            Ok::<_, DatabaseError>(
                statement
                    .query_row([label, key], |row| row.get(0))
                    .optional()?,
            )
        });
        Ok(read.await?)
    }

    pub(crate) async fn set(&self, label: &str, key: &str, value: &[u8]) -> Result<(), Failure> {
        let database = match self {
            Self::File(database) => database,
            Self::Shared(table) => {
                let (label, key, value) = (label.to_owned(), key.to_owned(), value.to_vec());
                let set = move |db: &dyn Connection| nodes::set_value(db, &label, &key, value);
                return table.run(set).await;
            }
        };
        let write = database.write(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO entries (store, key, value) VALUES (?1, ?2, ?3) \
                     ON CONFLICT DO UPDATE SET value = excluded.value",
                )?
                .execute(rusqlite::params![label, key, value])?;
            Ok::<_, DatabaseError>(())
        });
        Ok(write.await?)
    }

    pub(crate) async fn delete(&self, label: &str, key: &str) -> Result<(), Failure> {
        let database = match self {
            Self::File(database) => database,
            Self::Shared(table) => {
                let (label, key) = (label.to_owned(), key.to_owned());
                let delete = move |db: &dyn Connection| nodes::delete_value(db, &label, &key);
                return table.run(delete).await;
            }
        };
        let write = database.write(|connection| {
            connection
                .prepare_cached("DELETE FROM entries WHERE store = ?1 AND key = ?2")?
                .execute([label, key])?;
            Ok::<_, DatabaseError>(())
        });
        Ok(write.await?)
    }

    pub(crate) async fn keys(&self, label: &str) -> Result<Vec<String>, Failure> {
        let database = match self {
            Self::File(database) => database,
            Self::Shared(table) => {
                let label = label.to_owned();
                return table.run(move |db| nodes::keys(db, &label)).await;
            }
        };
        let read = database.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT key FROM entries WHERE store = ?1 ORDER BY key")?;
            let keys = statement.query_map([label], |row| row.get(0))?;
            Ok::<_, DatabaseError>(keys.collect::<rusqlite::Result<_>>()?)
        });
        Ok(read.await?)
    }
}

impl From<Failure> for Error {
    fn from(error: Failure) -> Self {
        Self::Other(error.to_string())
    }
}
