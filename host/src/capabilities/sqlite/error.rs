//! What can go wrong in the database, for guests and for native code.
//!
//! Guests see `GuestError`, the error variant of `spin:sqlite`; native callers
//! see `DatabaseError`. Neither carries parameters of statements, since those
//! may be secrets.

use crate::runtime::bindings::spin::sqlite::sqlite::Error as GuestError;
use std::time::Duration;

/// An error of [`Database`](super::Database) and of everything under it.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite refused or failed; the text is SQLite's own.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The writer's turn, or the file's write lock, did not come in time.
    #[error("no write transaction could begin within {0:?}")]
    Busy(Duration),
    /// All read connections stayed in use for too long.
    #[error("no read connection became free within {0:?}")]
    NoReader(Duration),
    /// The transaction held the writer for too long and was rolled back.
    #[error("the transaction was rolled back: it kept the writer longer than {0:?}")]
    TurnExpired(Duration),
    /// The group commit that this transaction was part of failed; nothing of
    /// the transaction is stored.
    #[error("the transaction could not be made durable: {0}")]
    CommitFailed(String),
    /// A statement of another transaction of the same group took too long or
    /// met a failure after which SQLite rolls back the whole group; nothing of
    /// the transaction is stored, and there is nothing wrong with it.
    #[error("the transaction was undone together with another one: {0}")]
    GroupUndone(String),
    /// There is no room, or only the reserve; nothing of the transaction is stored.
    #[error("database or disk is full: {0}")]
    Full(String),
    /// Too many reads that take long run or wait already. Components know it by its words.
    #[error("too many slow reads")]
    TooManySlowReads,
    /// The memory budget has no room for the rows. Components know it by its words.
    #[error("no memory for the result")]
    NoMemory,
    /// A statement that does not fit the state of the connection.
    #[error("{0}")]
    Refused(&'static str),
    /// A result larger than the host is willing to buffer.
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
    /// True when SQLite answered that somebody else holds the lock.
    pub(crate) fn is_locked(error: &rusqlite::Error) -> bool {
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        )
    }

    /// Whether there was no room for a write.
    pub(super) fn is_full(&self) -> bool {
        match self {
            Self::Full(_) => true,
            Self::Sqlite(error) => is_full(error),
            _ => false,
        }
    }

    /// Whether the file is not what SQLite has written.
    pub(super) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        matches!(self, Self::Sqlite(error)
            if matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)))
    }

    /// Whether the statement was stopped by its time limit.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self, Self::Sqlite(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted))
    }
}

/// Whether SQLite found no room. It calls a full disk by its name, but neither a quota nor a limit of
/// the size of files: those are writes that fail, of the log or of its index.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE};
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
        || matches!(
            error.sqlite_extended_error_code(),
            Some(SQLITE_IOERR_SHMSIZE | SQLITE_IOERR_WRITE)
        )
}

impl From<DatabaseError> for GuestError {
    fn from(error: DatabaseError) -> Self {
        if error.is_full() {
            return Self::DatabaseFull;
        }
        Self::Io(error.to_string())
    }
}
