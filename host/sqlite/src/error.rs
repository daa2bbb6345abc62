//! Database errors, for guests and for native code.
//!
//! Guests receive `GuestError`, the error variant of `spin:sqlite`; native callers receive
//! `DatabaseError`. Neither carries parameters of statements, since those may be secrets.

use spindle_admission::Overloaded;
use spindle_bindings::spin::sqlite::sqlite::Error as GuestError;
use spindle_store::host_error;
use std::time::Duration;

/// An error of [`Database`](super::Database) and of everything under it.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// An error of SQLite, with SQLite's own text.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The writer lock, or the file's write lock, was not acquired in time.
    #[error("{code}no write transaction could begin within {0:?}", code = host_error::NO_WRITER)]
    Busy(Duration),
    /// All read connections stayed in use for too long.
    #[error("{code}no read connection became free within {0:?}", code = host_error::NO_READER)]
    NoReader(Duration),
    /// The transaction exceeded its time limit and was rolled back.
    #[error("the transaction was rolled back: it kept the writer longer than {0:?}")]
    TransactionExpired(Duration),
    /// The group commit that this transaction was part of failed; none of its changes are stored.
    #[error("the transaction could not be made durable: {0}")]
    CommitFailed(String),
    /// A statement of another transaction in the same group timed out or failed in a way that makes
    /// SQLite roll back the whole group. None of this transaction's changes are stored; it may be
    /// retried.
    #[error("{code}the transaction was undone together with another one: {0}", code = host_error::UNDONE)]
    GroupUndone(String),
    /// The disk or the database is full, or only the reserve is left; none of the transaction's
    /// changes are stored.
    #[error("database or disk is full: {0}")]
    Full(String),
    /// Too many slow reads run or wait already.
    #[error("{code}too many slow reads", code = host_error::SLOW_READS)]
    TooManySlowReads,
    /// The memory budget has no room for the rows.
    #[error("{code}no memory for the result", code = host_error::NO_MEMORY)]
    NoMemory,
    /// A statement that is not allowed in the state of the connection.
    #[error("{0}")]
    Refused(&'static str),
    /// A result larger than the host buffers.
    #[error("the result is larger than {0} bytes")]
    ResultTooLarge(usize),
    /// Text in the database that is not UTF-8.
    #[error("column {0} holds text that is not UTF-8")]
    InvalidText(usize),
    /// The closure of a native write transaction asked for a rollback.
    #[error("{0}")]
    Rollback(String),
}

impl DatabaseError {
    /// Whether SQLite reported that another connection holds the lock.
    pub(crate) fn is_locked(error: &rusqlite::Error) -> bool {
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        )
    }

    /// Whether a write failed for lack of space.
    pub(super) fn is_full(&self) -> bool {
        match self {
            Self::Full(_) => true,
            Self::Sqlite(error) => is_full(error),
            _ => false,
        }
    }

    /// Whether SQLite reported that the file is corrupt.
    pub(super) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        matches!(self, Self::Sqlite(error)
            if matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)))
    }

    /// Whether the time limit stopped the statement.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self, Self::Sqlite(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted))
    }
}

/// Whether SQLite ran out of space. It reports a full disk as such, but an exceeded quota or file size
/// limit as a failed write of the log or of its index.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
        || matches!(
            error.sqlite_extended_error_code(),
            Some(SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_WRITE)
        )
}

impl From<Overloaded> for DatabaseError {
    fn from(_: Overloaded) -> Self {
        Self::TooManySlowReads
    }
}

impl From<DatabaseError> for GuestError {
    fn from(error: DatabaseError) -> Self {
        if error.is_full() {
            return Self::DatabaseFull;
        }
        Self::Io(error.to_string())
    }
}
