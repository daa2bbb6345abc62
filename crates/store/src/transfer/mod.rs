//! Copies a whole organization between a file of SQLite and a database of PostgreSQL, with all ids
//! (docs/adr/0056-an-organization-moves.md).
//!
//! Owns which tables are copied and in which parts, what is rebuilt, and the notes in the target from which a killed
//! copy resumes. Statements are made from the names of the newest schema, never from input. Whether servers may run
//! during a copy is decided by the caller, who also owns all files but the database.

mod copy;
mod notes;
mod postgres;
mod postponed;
mod schema;
mod sqlite;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use crate::{Connection, Db, DbError, Value, either, sql};

pub use copy::copy;
pub use notes::{Begun, Fingerprint};
pub use postgres::{PostgresSource, PostgresTarget, require_free};
pub use schema::{NOT_COPIED, Table, Tables};
pub use sqlite::{SqliteSource, SqliteTarget};

/// Receives the rows of a table, one at a time: values in the order of its columns.
pub type Visit<'v> = &'v mut dyn FnMut(&[Value]) -> Result<(), DbError>;

/// Passes rows on and returns the note to keep with them.
pub type Feed<'f> = &'f mut dyn FnMut(Visit<'_>) -> Result<String, DbError>;

/// The highest id that was ever given, by table.
pub type Sequences = BTreeMap<String, i64>;

/// Which rows of a table are read, in the order of its key.
#[derive(Debug, Clone, Copy, Default)]
pub struct Part<'a> {
    /// The key after which they begin; of tables whose keys are integers.
    pub after: Option<&'a [i64]>,
    /// How many at most.
    pub most: Option<u64>,
}

/// A database with an organization.
pub trait Side {
    /// For single statements.
    fn db(&self) -> &dyn Connection;

    /// The number of rows of a table.
    fn count(&self, table: &Table) -> Result<u64, DbError>;

    /// Passes rows of a table to `visit`, one at a time.
    ///
    /// # Errors
    /// Those of `visit`; [`DbError`] when the database cannot be read.
    fn each(&self, table: &Table, part: Part<'_>, visit: Visit<'_>) -> Result<(), DbError>;

    /// The highest ids ever given.
    fn sequences(&self) -> Result<Sequences, DbError>;
}

/// A database that is being filled. Until it is sealed, no server starts on it. Every function may be called
/// again after a kill.
pub trait Target: Side {
    /// A note about how far the copy is.
    fn note(&self, name: &str) -> Result<Option<String>, DbError>;

    /// Adds rows to a table and keeps the note about them, in one transaction.
    ///
    /// # Errors
    /// Those of `feed`; [`DbError`] when a row is refused. The transaction is undone then.
    fn fill(&self, table: &Table, feed: Feed<'_>) -> Result<(), DbError>;

    /// Makes the messages searchable; `done` gets the number made searchable so far.
    ///
    /// # Errors
    /// [`DbError`] when a database cannot be read or written to.
    fn make_searchable(
        &self,
        source: &dyn Side,
        tables: &Tables,
        done: &mut dyn FnMut(u64),
    ) -> Result<(), DbError>;

    /// How many indexes, keys and triggers are still to be made.
    fn postponed(&self) -> Result<u64, DbError>;

    /// Makes the indexes, keys and triggers that were postponed; `done` is called after each.
    ///
    /// # Errors
    /// [`DbError`] also when a row names a missing one.
    fn make_postponed(&self, done: &mut dyn FnMut()) -> Result<(), DbError>;

    /// Lets ids continue after the highest ones ever given.
    ///
    /// # Errors
    /// [`DbError`] when the database cannot be written to.
    fn continue_after(&self, sequences: &Sequences) -> Result<(), DbError>;

    /// Removes the notes: from now on servers may use the database. What was written before is on the disk.
    ///
    /// # Errors
    /// [`DbError`] when the database cannot be written to.
    fn seal(&self) -> Result<(), DbError>;
}

/// Other programs that use a PostgreSQL database: each connection that has run a statement in the last two seconds, as
/// every node does, or whose statements this account may not see. One line for each, to show to people.
pub fn others(db: &dyn Db) -> Result<Vec<String>, DbError> {
    let sql = sql!(either!(
        "SELECT '' AS program WHERE 0",
        "SELECT DISTINCT coalesce(nullif(application_name, ''), 'a program') \
         || coalesce(' at ' || host(client_addr), '') AS program FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL \
         AND coalesce(backend_type, 'client backend') = 'client backend' AND (state IS NULL OR state <> 'idle' \
             OR state_change > clock_timestamp() - CAST('2 seconds' AS INTERVAL))"
    ));
    db.query(sql, &[])?.values()
}
