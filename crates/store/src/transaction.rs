//! Transactions as values: a snapshot for reading, and a transaction that writes.
//!
//! Owns BEGIN, COMMIT and ROLLBACK and the append to the event log. Every function of this crate
//! that writes takes a [`WriteTx`], so nothing is written outside of a transaction. One that is
//! dropped is undone. Only this crate begins and commits one: all others write through the calls of
//! `change.rs`, which append its events. Nothing in here may await.

use std::cell::Cell;

use spindle_domain::RealmId;

use crate::{
    Connection, Db, DbError, Dialect, Query, Rows, Statement, Value, either, params, statement,
};

/// Starts a transaction of SQLite that only reads. The native host knows these eight texts.
pub const BEGIN_READ: &str = "BEGIN";
/// The same for a snapshot that may read much.
pub const BEGIN_LARGE_READ: &str = "BEGIN DEFERRED";
/// Starts a transaction of SQLite that writes, and waits for the write lock right away.
pub const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";
/// The same for one part of a change of many rows.
pub const BEGIN_PART: &str = "BEGIN EXCLUSIVE";
/// As [`BEGIN_WRITE`], for a change that frees space: SQLite ignores the last word, and the native host lets it use half of
/// the disk's reserve.
pub const BEGIN_FREEING: &str = "BEGIN IMMEDIATE TRANSACTION";
/// As [`BEGIN_PART`], for a change that frees space.
pub const BEGIN_FREEING_PART: &str = "BEGIN EXCLUSIVE TRANSACTION";
/// Ends a transaction and keeps what it did.
pub const COMMIT: &str = "COMMIT";
/// Ends a transaction and undoes what it did.
pub const ROLLBACK: &str = "ROLLBACK";

/// The same eight for both databases. In PostgreSQL one of two changes that could not have followed one
/// another fails, instead of waiting at its beginning.
const BEGINS_READ: Statement = statement!(either!(
    "BEGIN",
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
));
const BEGINS_LARGE_READ: Statement = statement!(either!(
    "BEGIN DEFERRED",
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
));
const BEGINS_WRITE: Statement = statement!(either!(
    "BEGIN IMMEDIATE",
    "BEGIN ISOLATION LEVEL SERIALIZABLE"
));
/// Of two changes of one row, one fails; what they have only read may change, unless they have locked it.
const BEGINS_WITH_LOCKS: Statement = statement!(either!(
    "BEGIN IMMEDIATE",
    "BEGIN ISOLATION LEVEL REPEATABLE READ"
));
const BEGINS_PART: Statement = statement!(either!(
    "BEGIN EXCLUSIVE",
    "BEGIN ISOLATION LEVEL SERIALIZABLE"
));
pub(crate) const BEGINS_FREEING: Statement = statement!(either!(
    "BEGIN IMMEDIATE TRANSACTION",
    "BEGIN ISOLATION LEVEL SERIALIZABLE"
));
pub(crate) const BEGINS_FREEING_PART: Statement = statement!(either!(
    "BEGIN EXCLUSIVE TRANSACTION",
    "BEGIN ISOLATION LEVEL SERIALIZABLE"
));
pub(crate) const COMMITS: Statement = statement!("COMMIT");
pub(crate) const ROLLS_BACK: Statement = statement!("ROLLBACK");

/// Waits for other changes that run again. It takes no snapshot, so the statements after it see what those have changed.
const LINES_UP: Statement = statement!(either!(
    "",
    "LOCK TABLE changes_run_again IN EXCLUSIVE MODE"
));

/// Waits for changes that have appended events, and lets no other change append any until the end of the transaction:
/// nothing that it may conflict with is committed before it. It takes no snapshot either.
const KEEPS_OTHERS_OUT: Statement = statement!(either!(
    "",
    "LOCK TABLE event_outbox IN SHARE ROW EXCLUSIVE MODE"
));

/// In PostgreSQL the event is put into the log once it is committed, see `log_order.rs`.
const APPEND: Statement = statement!(
    "INSERT INTO ",
    either!("event_log", "event_outbox"),
    " (realm_id, time, type, body, audience) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING ",
    either!("seq", "id AS seq")
);

/// An event to write to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The wire type, such as `message`.
    pub event_type: &'static str,
    /// The event without `id`, as JSON text.
    pub body: String,
    /// The audience, as JSON text; see the crate of the events.
    pub audience: String,
}

/// A snapshot: everything that is read through it is of one moment.
pub struct ReadTx<'d> {
    connection: &'d dyn Connection,
}

impl<'d> ReadTx<'d> {
    /// Opens the snapshot. SQLite takes it at the first statement that reads.
    ///
    /// # Errors
    /// [`DbError`] when the connection refuses, for example inside another transaction.
    pub fn begin(connection: &'d dyn Connection) -> Result<Self, DbError> {
        connection.execute(BEGINS_READ, &[])?;
        Ok(Self { connection })
    }

    /// The same for a snapshot that may read much. If they were slow lately, the native host lets few of them run
    /// concurrently; the others wait before they borrow a read connection.
    ///
    /// # Errors
    /// As for [`Self::begin`]; [`DbError::Overloaded`] when too many wait already.
    pub fn begin_large(connection: &'d dyn Connection) -> Result<Self, DbError> {
        connection.execute(BEGINS_LARGE_READ, &[])?;
        Ok(Self { connection })
    }
}

impl Db for ReadTx<'_> {
    fn dialect(&self) -> crate::Dialect {
        self.connection.dialect()
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.connection.query(query, params)
    }
}

impl Drop for ReadTx<'_> {
    fn drop(&mut self) {
        // A failed COMMIT of a read loses nothing, and ROLLBACK then frees the connection.
        if self.connection.execute(COMMITS, &[]).is_err() {
            let _ = self.connection.execute(ROLLS_BACK, &[]);
        }
    }
}

/// A change in progress, the only writer while it lives.
pub struct WriteTx<'d> {
    connection: &'d dyn Connection,
    open: Cell<bool>,
    conflicted: Cell<bool>,
    /// It runs again, after others that do.
    lined_up: bool,
}

impl<'d> WriteTx<'d> {
    /// Waits for the write lock (busy timeout of the connection) and opens the transaction.
    ///
    /// # Errors
    /// [`DbError::Busy`] when another writer holds the database for too long.
    pub(crate) fn begin(connection: &'d dyn Connection) -> Result<Self, DbError> {
        Self::begin_with(BEGINS_WRITE, connection)
    }

    /// As [`WriteTx::begin`], where rows that must not change are locked, see [`crate::change_locked`].
    pub(crate) fn begin_with_locks(connection: &'d dyn Connection) -> Result<Self, DbError> {
        Self::begin_with(BEGINS_WITH_LOCKS, connection)
    }

    /// The same for one part of a change of many rows, which takes longer than most transactions: the
    /// native host flushes the transactions before it first, so that none of them waits for it.
    ///
    /// # Errors
    /// As for [`Self::begin`].
    pub(crate) fn begin_part(connection: &'d dyn Connection) -> Result<Self, DbError> {
        Self::begin_with(BEGINS_PART, connection)
    }

    fn begin_with(begin: Statement, connection: &'d dyn Connection) -> Result<Self, DbError> {
        connection.execute(begin, &[])?;
        Ok(Self {
            connection,
            open: Cell::new(true),
            conflicted: Cell::new(false),
            lined_up: false,
        })
    }

    /// For a change that was undone because of another one, before anything else: on PostgreSQL it waits until no other such
    /// change runs, so that changes that have conflicted once do not conflict again. SQLite has one writer at a time.
    ///
    /// # Errors
    /// [`DbError`] when the connection is lost or the wait takes too long.
    pub(crate) fn line_up(mut self) -> Result<Self, DbError> {
        if self.connection.dialect() == Dialect::Postgres {
            self.execute(LINES_UP, &[])?;
        }
        self.lined_up = true;
        Ok(self)
    }

    /// For a change that was undone several times, after [`WriteTx::line_up`]: on PostgreSQL no other change with events is
    /// committed until it has ended. Should one of them hold a row that it needs, the database undoes one of the two.
    ///
    /// # Errors
    /// As for [`WriteTx::line_up`].
    pub(crate) fn keep_others_out(&self) -> Result<(), DbError> {
        match self.connection.dialect() {
            Dialect::Postgres => self.execute(KEEPS_OTHERS_OUT, &[]).map(|_| ()),
            Dialect::Sqlite => Ok(()),
        }
    }

    /// Whether a statement or the commit was refused because of another transaction, whatever became
    /// of that error afterwards: this transaction keeps nothing, and may be run again.
    pub(crate) fn is_conflicted(&self) -> bool {
        self.conflicted.get()
    }

    fn watched<T>(&self, outcome: Result<T, DbError>) -> Result<T, DbError> {
        // PostgreSQL reports some conflicts as a row that exists already, such as two changes that take the next
        // number. When the change runs again, that row is really there.
        let may_be_conflict = !self.lined_up && self.connection.dialect() == Dialect::Postgres;
        match outcome {
            Err(DbError::Conflict(_)) => self.conflicted.set(true),
            Err(DbError::NotUnique(_)) if may_be_conflict => self.conflicted.set(true),
            _ => {}
        }
        outcome
    }

    /// Runs a statement that writes, with positional parameters `?1`, `?2`, ...; returns the rows
    /// of its RETURNING.
    pub(crate) fn execute(
        &self,
        statement: impl Into<Statement>,
        params: &[Value],
    ) -> Result<Rows, DbError> {
        self.watched(self.connection.execute(statement.into(), params))
    }

    /// Appends events to the log of `realm_id` at `now` (UNIX seconds). Returns the sequence number
    /// of the last one, if there was one.
    pub(crate) fn append(
        &self,
        realm_id: RealmId,
        now: i64,
        events: impl IntoIterator<Item = NewEvent>,
    ) -> Result<Option<i64>, DbError> {
        let mut last = None;
        for event in events {
            let row = params![realm_id, now, event.event_type, event.body, event.audience];
            last = Some(self.execute(APPEND, &row)?.one_value()?);
        }
        Ok(last)
    }

    /// Keeps everything that the transaction did.
    ///
    /// # Errors
    /// [`DbError`]; everything is then undone.
    pub(crate) fn commit(&self) -> Result<(), DbError> {
        self.execute(COMMITS, &[])?;
        self.open.set(false);
        Ok(())
    }
}

impl Db for WriteTx<'_> {
    fn dialect(&self) -> crate::Dialect {
        self.connection.dialect()
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.watched(self.connection.query(query, params))
    }
}

impl Drop for WriteTx<'_> {
    fn drop(&mut self) {
        if self.open.get() {
            // It fails only when SQLite has undone the transaction itself.
            let _ = self.connection.execute(ROLLS_BACK, &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql;
    use crate::testing::TestDatabase;

    fn event(body: &str) -> NewEvent {
        NewEvent {
            event_type: "heartbeat",
            body: body.to_owned(),
            audience: r#"{"realm":true}"#.to_owned(),
        }
    }

    fn insert(tx: &WriteTx<'_>) -> Result<Rows, DbError> {
        tx.execute("INSERT INTO jobs (name, due) VALUES ('x', 1)", &[])
    }

    fn count(db: &dyn Db, query: Query) -> Result<i64, DbError> {
        db.query(query, &[])?.one_value()
    }

    fn jobs(db: &dyn Db) -> Result<i64, DbError> {
        count(db, sql!("SELECT count(*) FROM jobs"))
    }

    #[test]
    fn a_dropped_change_is_undone() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        insert(&tx).unwrap();
        drop(tx);
        assert_eq!(jobs(&db), Ok(0));
        // The connection is free for the next one.
        WriteTx::begin(&db).unwrap();
    }

    #[test]
    fn state_and_events_are_committed_together_and_numbered() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        insert(&tx).unwrap();
        assert_eq!(
            tx.append(RealmId::ONLY, 5, [event("{}"), event("{}")]),
            Ok(Some(2))
        );
        tx.commit().unwrap();
        assert_eq!(jobs(&db), Ok(1));
        let tx = WriteTx::begin(&db).unwrap();
        assert_eq!(tx.append(RealmId::ONLY, 6, []), Ok(None));
        tx.commit().unwrap();
        assert_eq!(count(&db, sql!("SELECT count(*) FROM event_log")), Ok(2));
    }

    #[test]
    fn a_failing_event_undoes_the_state() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        insert(&tx).unwrap();
        let events = [event("{}"), event("no JSON")];
        assert!(tx.append(RealmId::ONLY, 5, events).is_err());
        drop(tx);
        assert_eq!(jobs(&db), Ok(0));
        assert_eq!(count(&db, sql!("SELECT count(*) FROM event_log")), Ok(0));
    }

    #[test]
    fn numbers_never_return_after_pruning() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        assert_eq!(tx.append(RealmId::ONLY, 5, [event("{}")]), Ok(Some(1)));
        tx.commit().unwrap();
        let tx = WriteTx::begin(&db).unwrap();
        tx.execute("DELETE FROM event_log", &[]).unwrap();
        assert_eq!(tx.append(RealmId::ONLY, 5, [event("{}")]), Ok(Some(2)));
        tx.commit().unwrap();
    }

    #[test]
    fn a_snapshot_does_not_see_later_commits() {
        let database = TestDatabase::with_realm();
        let (db, other_connection) = (database.db(), database.open_another());
        let other = crate::RusqliteDb::new(&other_connection);
        let snapshot = ReadTx::begin(&db).unwrap();
        assert_eq!(jobs(&snapshot), Ok(0));
        let tx = WriteTx::begin(&other).unwrap();
        insert(&tx).unwrap();
        tx.commit().unwrap();
        assert_eq!(jobs(&snapshot), Ok(0));
        drop(snapshot);
        assert_eq!(jobs(&db), Ok(1));
    }
}
