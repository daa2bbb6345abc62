//! The database as the rest of the program sees it: one synchronous call.
//!
//! Owns the two traits and the error. A function that takes a [`Db`] can only read; one that takes
//! a [`Connection`] can begin transactions; one that takes a [`crate::WriteTx`] writes. Statements
//! are constants of this crate, so that no SQL text can be built from input. Nothing here awaits:
//! between BEGIN IMMEDIATE and COMMIT a component must not give up control, or concurrent requests
//! of one instance lock each other out.

#[cfg(any(feature = "native", test))]
use std::ops::ControlFlow;

use crate::{Dialect, Query, Rows, Statement, Value, host_error};

/// Why a statement failed. Texts are for the log and never reach a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DbError {
    /// Another writer held the database for longer than the busy timeout.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// The change was not made, because others kept the database for too long, or it conflicted with them each time.
    /// The caller may try again.
    #[error("the change was not made: {0}")]
    TryAgain(String),
    /// The server of the database does not answer, is starting or stopping, or accepts no writes.
    #[error("{0}")]
    Unreachable(String),
    /// The transaction was undone because of another one, and may succeed when it is run again from
    /// the start. [`crate::change()`] does that; only when it has given up does a caller see this.
    #[error("the transaction was undone because of another one: {0}")]
    Conflict(String),
    /// A UNIQUE constraint refused the row; the text names the columns.
    #[error("the row exists already: {0}")]
    NotUnique(String),
    /// The data to write does not fit; nothing has changed.
    #[error("there is no room: {0}")]
    Full(String),
    /// Too many reads that take long run at the moment, this one took too long, or there is no memory for
    /// its rows; the text is the host's, or SQLite's.
    #[error("the database has no place: {0}")]
    Overloaded(String),
    /// Any other failure of SQLite or of the interface to it.
    #[error("the database failed: {0}")]
    Failed(String),
    /// The file has seen migrations that this program does not know.
    #[error(
        "the database was written by a newer version of Spindle (it has seen {found} migrations, \
         this one knows {known}): start that version, or restore a backup from before the upgrade"
    )]
    Newer {
        /// Migrations that the file has seen.
        found: i64,
        /// Migrations that this program knows.
        known: usize,
    },
    /// A statement that always returns a row returned none.
    #[error("a statement returned no row")]
    NoRow,
    /// A column has another type than the row struct expects.
    #[error("column {name:?} should be {expected} and is {found}")]
    Column {
        /// Name of the column.
        name: String,
        /// What the reader asked for.
        expected: &'static str,
        /// What the database returned.
        found: &'static str,
    },
    /// A JSON column does not decode.
    #[error("a JSON column does not decode: {0}")]
    Json(String),
}

impl DbError {
    /// Whether the same work may succeed later although nothing about it changes.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        matches!(self, Self::TryAgain(_) | Self::Unreachable(_))
    }

    /// The reason alone, for an operator: a failed start is no change that was not made.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::TryAgain(reason)
            | Self::Unreachable(reason)
            | Self::Overloaded(reason)
            | Self::Failed(reason) => reason.clone(),
            other => other.to_string(),
        }
    }

    /// Sorts a message of SQLite, or of the native host (`host_error`), into the variants that callers distinguish.
    #[must_use]
    pub fn from_message(message: String) -> Self {
        if message.contains("UNIQUE constraint failed") {
            Self::NotUnique(message)
        } else if message.contains("database or disk is full") {
            Self::Full(message)
        } else if message.contains("database is locked") || message.contains("database is busy") {
            Self::Busy(message)
        } else if message.contains(host_error::UNDONE) {
            Self::Conflict(message)
        } else if message.contains(host_error::NO_WRITER) {
            Self::TryAgain(message)
        } else if message.contains(host_error::NO_READER)
            || message.contains(host_error::SLOW_READS)
            || message.contains(host_error::NO_MEMORY)
            || message == "interrupted"
        {
            Self::Overloaded(message)
        } else {
            Self::Failed(message)
        }
    }
}

/// What can be read from: a connection, or a transaction on one.
pub trait Db {
    /// Which database it is. Searches are written in its language, and its index may need words.
    fn dialect(&self) -> Dialect;

    /// Runs `query` with positional parameters `?1`, `?2`, ... and returns all of its rows.
    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError>;
}

/// A connection that runs one statement at a time and is used by one request at a time. Backends run
/// statements on it; all other code begins transactions on it.
pub trait Connection: Db {
    /// Runs `statement` with positional parameters `?1`, `?2`, ... and returns all of its rows.
    /// Only this crate makes statements, so callers outside can do no more than pass one on.
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError>;

    /// Hands the rows of `query` to `each`, one at a time, until `each` stops. The backends of native code hold only a
    /// few rows at a time. Until it returns, the connection runs nothing else.
    #[cfg(any(feature = "native", test))]
    fn stream(
        &self,
        query: Query,
        params: &[Value],
        each: &mut dyn FnMut(&[Value]) -> ControlFlow<()>,
    ) -> Result<(), DbError> {
        let rows = self.query(query, params)?.rows;
        let _ = rows.iter().try_for_each(|row| each(row));
        Ok(())
    }

    /// Runs all migrations of PostgreSQL in the current schema, as a part of the open transaction.
    ///
    /// # Errors
    /// [`DbError`] when a statement fails, and on every other database.
    #[cfg(any(feature = "native", test))]
    fn create_tables(&self) -> Result<(), DbError> {
        Err(DbError::Failed("not a connection to PostgreSQL".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_sorted() {
        let sorted = |text: &str| DbError::from_message(text.to_owned());
        assert!(matches!(
            sorted("UNIQUE constraint failed: users.id"),
            DbError::NotUnique(_)
        ));
        assert!(matches!(sorted("database is locked"), DbError::Busy(_)));
        assert!(matches!(
            sorted("[spindle:undone] interrupted"),
            DbError::Conflict(_)
        ));
        assert!(matches!(
            sorted("[spindle:no-writer] waited 5s"),
            DbError::TryAgain(_)
        ));
        assert!(matches!(
            sorted("database or disk is full"),
            DbError::Full(_)
        ));
        for text in [
            "[spindle:slow-reads] x",
            "[spindle:no-memory] x",
            "interrupted",
        ] {
            assert!(matches!(sorted(text), DbError::Overloaded(_)));
        }
        assert!(matches!(sorted("disk I/O error"), DbError::Failed(_)));
    }
}
