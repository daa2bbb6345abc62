//! Transactions as values: a snapshot for reading, and a change that cannot forget its events.
//!
//! Owns BEGIN, COMMIT and ROLLBACK and the append to the event log. A [`WriteTx`] that is
//! dropped is undone; it can be committed only by saying which events it emits (or why none),
//! so that a forgotten event is a type error. Nothing in here may await.

use crate::{Db, DbError, Rows, Value, params};

/// Starts a transaction that only reads. The native host knows these four texts.
pub const BEGIN_READ: &str = "BEGIN";
/// Starts a transaction that writes, and waits for its turn right away.
pub const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";
/// Ends a transaction and keeps what it did.
pub const COMMIT: &str = "COMMIT";
/// Ends a transaction and undoes what it did.
pub const ROLLBACK: &str = "ROLLBACK";

const APPEND: &str = "INSERT INTO event_log (realm_id, time, type, body, audience) \
     VALUES (?1, ?2, ?3, ?4, ?5) RETURNING seq";

/// An event that is to be written to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The wire type, such as `message`.
    pub event_type: &'static str,
    /// The event without `id`, as JSON text.
    pub body: String,
    /// Who is told, as JSON text; see the crate of the events.
    pub audience: String,
}

/// What a change tells the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Emitted {
    /// These events, in this order.
    Events(Vec<NewEvent>),
    /// No event, and why that is right.
    Nothing(&'static str),
}

/// A snapshot: everything that is read through it is of one moment.
pub struct ReadTx<'d> {
    db: &'d dyn Db,
}

impl<'d> ReadTx<'d> {
    /// Opens the snapshot. SQLite takes it at the first statement that reads.
    ///
    /// # Errors
    /// [`DbError`] when the connection refuses, for example inside another transaction.
    pub fn begin(db: &'d dyn Db) -> Result<Self, DbError> {
        db.execute(BEGIN_READ, &[])?;
        Ok(Self { db })
    }
}

impl Db for ReadTx<'_> {
    fn execute(&self, sql: &'static str, params: &[Value]) -> Result<Rows, DbError> {
        self.db.execute(sql, params)
    }
}

impl Drop for ReadTx<'_> {
    fn drop(&mut self) {
        // A failed COMMIT of a read loses nothing, and ROLLBACK then frees the connection.
        if self.db.execute(COMMIT, &[]).is_err() {
            let _ = self.db.execute(ROLLBACK, &[]);
        }
    }
}

/// A change in progress, the only writer while it lives.
pub struct WriteTx<'d> {
    db: &'d dyn Db,
    open: bool,
}

impl<'d> WriteTx<'d> {
    /// Waits for the write lock (busy timeout of the connection) and opens the transaction.
    ///
    /// # Errors
    /// [`DbError::Busy`] when another writer holds the database for too long.
    pub fn begin(db: &'d dyn Db) -> Result<Self, DbError> {
        db.execute(BEGIN_WRITE, &[])?;
        Ok(Self { db, open: true })
    }

    /// Appends the events to the log of `realm_id` at `now` (UNIX seconds) and commits.
    /// Returns the sequence number of the last event, if there was one.
    ///
    /// # Errors
    /// [`DbError`]; the change is then undone.
    pub fn commit(
        mut self,
        realm_id: i64,
        now: i64,
        emitted: Emitted,
    ) -> Result<Option<i64>, DbError> {
        let mut last = None;
        if let Emitted::Events(events) = emitted {
            for event in events {
                let row = params![realm_id, now, event.event_type, event.body, event.audience];
                last = Some(
                    self.db
                        .execute(APPEND, &row)?
                        .read_one(|row| row.integer())?,
                );
            }
        }
        self.db.execute(COMMIT, &[])?;
        self.open = false;
        Ok(last)
    }
}

impl Db for WriteTx<'_> {
    fn execute(&self, sql: &'static str, params: &[Value]) -> Result<Rows, DbError> {
        self.db.execute(sql, params)
    }
}

impl Drop for WriteTx<'_> {
    fn drop(&mut self) {
        if self.open {
            // It fails only when SQLite has undone the transaction itself.
            let _ = self.db.execute(ROLLBACK, &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    fn event(body: &str) -> NewEvent {
        NewEvent {
            event_type: "heartbeat",
            body: body.to_owned(),
            audience: r#"{"realm":true}"#.to_owned(),
        }
    }

    fn insert(db: &dyn Db) -> Result<Rows, DbError> {
        db.execute("INSERT INTO jobs (name, due) VALUES ('x', 1)", &[])
    }

    fn count(db: &dyn Db, sql: &'static str) -> Result<i64, DbError> {
        db.execute(sql, &[])?.read_one(|row| row.integer())
    }

    fn jobs(db: &dyn Db) -> Result<i64, DbError> {
        count(db, "SELECT count(*) FROM jobs")
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
        let emitted = Emitted::Events(vec![event("{}"), event("{}")]);
        assert_eq!(tx.commit(1, 5, emitted), Ok(Some(2)));
        assert_eq!(jobs(&db), Ok(1));
        let tx = WriteTx::begin(&db).unwrap();
        assert_eq!(tx.commit(1, 6, Emitted::Nothing("a test")), Ok(None));
        assert_eq!(count(&db, "SELECT count(*) FROM event_log"), Ok(2));
    }

    #[test]
    fn a_failing_event_undoes_the_state() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        insert(&tx).unwrap();
        let emitted = Emitted::Events(vec![event("{}"), event("no JSON")]);
        assert!(tx.commit(1, 5, emitted).is_err());
        assert_eq!(jobs(&db), Ok(0));
        assert_eq!(count(&db, "SELECT count(*) FROM event_log"), Ok(0));
    }

    #[test]
    fn numbers_never_return_after_pruning() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let tx = WriteTx::begin(&db).unwrap();
        assert_eq!(
            tx.commit(1, 5, Emitted::Events(vec![event("{}")])),
            Ok(Some(1))
        );
        db.execute("DELETE FROM event_log", &[]).unwrap();
        let tx = WriteTx::begin(&db).unwrap();
        assert_eq!(
            tx.commit(1, 5, Emitted::Events(vec![event("{}")])),
            Ok(Some(2))
        );
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
        tx.commit(1, 5, Emitted::Nothing("a test")).unwrap();
        assert_eq!(jobs(&snapshot), Ok(0));
        drop(snapshot);
        assert_eq!(jobs(&db), Ok(1));
    }
}
