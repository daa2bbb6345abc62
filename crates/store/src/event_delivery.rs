//! What the event-queue service reads: the log in order, and the queues that exist.
//!
//! Owns reads only. On SQLite the service never writes to this database, so that it does not compete with
//! writers; the positions that its queues have reached are in a file of its own. On PostgreSQL they are in
//! `queue_positions.rs`.

use spindle_domain::UserId;

use crate::{Db, DbError, FromRow, Row, either, params, row_struct, sql};

row_struct! {
    /// One row of `event_log`, as text.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LogEntry {
        /// Position in the log.
        pub seq: i64,
        /// Wire type.
        pub event_type: String,
        /// JSON object.
        pub body: String,
        /// JSON object.
        pub audience: String,
    }
}

row_struct! {
    /// What the service knows of every queue.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct QueueHead {
        /// The queue's id on the wire.
        pub id: String,
        /// Order of creation.
        pub number: i64,
        pub user_id: UserId,
        /// Events after this position belong to the queue.
        pub base_seq: i64,
        /// UNIX seconds.
        pub created: i64,
        /// Seconds without a poll after which the queue ends.
        pub idle_timeout_secs: i64,
    }
}

/// Position of the newest event ever written, pruned or not; 0 before the first.
pub fn last_seq(db: &dyn Db) -> Result<i64, DbError> {
    let sql = sql!(either!(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event_log'), 0) AS seq",
        "SELECT coalesce(max(seq), 0) AS seq FROM event_log"
    ));
    let last = db.query(sql, &[])?.value()?;
    last.ok_or(DbError::NoRow)
}

/// Rows from `first` on, ascending, at most `limit`.
pub fn log_from(db: &dyn Db, first: i64, limit: i64) -> Result<Vec<LogEntry>, DbError> {
    let sql = sql!(
        "SELECT seq, type AS event_type, body, audience FROM event_log \
               WHERE seq >= ?1 ORDER BY seq LIMIT ?2"
    );
    db.query(sql, &params![first, limit])?.all()
}

/// Rows from `first` up to but not including `before`, descending, at most `limit`.
pub fn log_before(
    db: &dyn Db,
    first: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<LogEntry>, DbError> {
    let sql = sql!(
        "SELECT seq, type AS event_type, body, audience FROM event_log \
               WHERE seq >= ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3"
    );
    db.query(sql, &params![first, before, limit])?.all()
}

row_struct! {
    /// The audience of one row of `event_log`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LogAudience {
        /// Position in the log.
        pub seq: i64,
        /// JSON object.
        pub audience: String,
    }
}

/// Positions and audiences of such rows.
pub fn audiences_before(
    db: &dyn Db,
    first: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<LogAudience>, DbError> {
    let sql = sql!(
        "SELECT seq, audience FROM event_log \
               WHERE seq >= ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3"
    );
    db.query(sql, &params![first, before, limit])?.all()
}

/// The rows at these positions, ascending.
pub fn log_rows(db: &dyn Db, seqs: &[i64]) -> Result<Vec<LogEntry>, DbError> {
    let sql = sql!(
        "SELECT seq, type AS event_type, body, audience FROM event_log \
               WHERE seq IN (SELECT value FROM json_ids(?1)) ORDER BY seq"
    );
    let seqs = crate::id_list(seqs.iter().copied());
    db.query(sql, &params![seqs])?.all()
}

/// A queue with what it accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredQueue {
    /// What the service knows of every queue.
    pub head: QueueHead,
    /// JSON of the registration.
    pub registration: String,
    /// As [`crate::event_log::LogPoint::unordered`].
    pub base_unordered: String,
    /// As [`crate::queues::NewQueue::accept_version`].
    pub accept_version: i64,
}

impl FromRow for StoredQueue {
    fn from_row(row: &mut Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            head: QueueHead::from_row(row)?,
            registration: row.named("registration")?,
            base_unordered: row.named("base_unordered")?,
            accept_version: row.named("accept_version")?,
        })
    }
}

/// The queue with this id.
pub fn find_queue(db: &dyn Db, id: &str) -> Result<Option<StoredQueue>, DbError> {
    let sql = sql!(
        "SELECT id, number, user_id, base_seq, created, idle_timeout_secs, registration, base_unordered, \
               accept_version FROM event_queues WHERE id = ?1"
    );
    db.query(sql, &params![id])?.first()
}

/// Positions after `base_seq` of the events with the ids of `unordered` (a JSON list), which must have been put
/// into the log, ascending.
pub fn positions_of(db: &dyn Db, base_seq: i64, unordered: &str) -> Result<Vec<i64>, DbError> {
    let sql = sql!(either!(
        "SELECT value AS seq FROM json_ids(?2) WHERE value > ?1 AND 0",
        "SELECT seq FROM event_log WHERE seq > ?1 AND origin IN (SELECT value FROM json_ids(?2)) ORDER BY seq"
    ));
    db.query(sql, &params![base_seq, unordered])?.values()
}

/// Queues created after the one with this number, in order of creation, at most `limit`.
pub fn queues_after(db: &dyn Db, number: i64, limit: i64) -> Result<Vec<QueueHead>, DbError> {
    let sql = sql!(
        "SELECT id, number, user_id, base_seq, created, idle_timeout_secs \
               FROM event_queues WHERE number > ?1 ORDER BY number LIMIT ?2"
    );
    db.query(sql, &params![number, limit])?.all()
}

/// Ids of the queues of an account.
pub fn queues_of(db: &dyn Db, user_id: UserId) -> Result<Vec<String>, DbError> {
    db.query(
        sql!("SELECT id FROM event_queues WHERE user_id = ?1"),
        &params![user_id],
    )?
    .values()
}

/// Number of the newest queue; 0 without queues.
pub fn newest_queue(db: &dyn Db) -> Result<i64, DbError> {
    let sql = sql!("SELECT coalesce(max(number), 0) FROM event_queues");
    let newest = db.query(sql, &[])?.value()?;
    newest.ok_or(DbError::NoRow)
}

row_struct! {
    /// Two numbers that are cheap to compare, and different after nearly every creation or deletion
    /// of a queue.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct QueueFingerprint {
        /// How many queues there are.
        pub count: i64,
        /// The sum of their numbers.
        pub sum: i64,
    }
}

/// The fingerprint of all queues.
pub fn queue_fingerprint(db: &dyn Db) -> Result<QueueFingerprint, DbError> {
    let sql = sql!(
        "SELECT count(*) AS count, CAST(coalesce(sum(number), 0) AS BIGINT) AS sum FROM event_queues"
    );
    db.query(sql, &[])?.one()
}

/// A number that changes whenever another connection has committed.
pub fn data_version(db: &dyn Db) -> Result<i64, DbError> {
    let version = db
        .query(
            sql!(either!(
                "PRAGMA data_version",
                "SELECT hashtextextended(CAST(pg_current_snapshot() AS TEXT), 0) AS data_version"
            )),
            &[],
        )?
        .value()?;
    version.ok_or(DbError::NoRow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WriteTx;
    use crate::testing::{self, TestDatabase, add_user};

    fn append(tx: &WriteTx<'_>, count: i64) {
        for time in 0..count {
            let sql = "INSERT INTO event_log (realm_id, time, type, body, audience) \
                       VALUES (1, ?1, 'realm', '{}', '{\"realm\":true}')";
            tx.execute(sql, &params![time]).unwrap();
        }
    }

    #[test]
    fn the_log_is_read_in_both_directions() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        assert_eq!(last_seq(&tx).unwrap(), 0);
        append(&tx, 5);
        assert_eq!(last_seq(&tx).unwrap(), 5);
        let seqs = |entries: Vec<LogEntry>| entries.iter().map(|e| e.seq).collect::<Vec<_>>();
        assert_eq!(seqs(log_from(&tx, 2, 3).unwrap()), [2, 3, 4]);
        assert_eq!(seqs(log_before(&tx, 2, 5, 2).unwrap()), [4, 3]);
        assert_eq!(seqs(log_rows(&tx, &[5, 1, 9]).unwrap()), [1, 5]);
        let audiences = audiences_before(&tx, 4, 6, 10).unwrap();
        let of_all = |seq| LogAudience {
            seq,
            audience: r#"{"realm":true}"#.to_owned(),
        };
        assert_eq!(audiences, [of_all(5), of_all(4)]);
        tx.execute("DELETE FROM event_log", &[]).unwrap();
        assert_eq!(last_seq(&tx).unwrap(), 5);
    }

    #[test]
    fn queues_are_found() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let user_id = add_user(&tx, "a@example.org");
        let fingerprint = |count, sum| QueueFingerprint { count, sum };
        assert_eq!(queue_fingerprint(&tx).unwrap(), fingerprint(0, 0));
        for number in [1_i64, 2, 5] {
            let sql = "INSERT INTO event_queues (id, number, realm_id, user_id, base_seq, created, \
                       idle_timeout_secs, registration) VALUES (?1, ?2, 1, ?3, 0, 7, 600, '{}')";
            tx.execute(sql, &params![format!("q{number}"), number, user_id])
                .unwrap();
        }
        assert_eq!(queue_fingerprint(&tx).unwrap(), fingerprint(3, 8));
        assert_eq!(newest_queue(&tx).unwrap(), 5);
        let found = find_queue(&tx, "q5").unwrap().unwrap();
        assert_eq!((found.head.number, found.registration.as_str()), (5, "{}"));
        assert_eq!(found.base_unordered, "[]");
        assert_eq!(find_queue(&tx, "q9").unwrap(), None);
        assert_eq!(queues_of(&tx, UserId(user_id)).unwrap().len(), 3);
        let numbers = |page: Vec<QueueHead>| page.iter().map(|q| q.number).collect::<Vec<_>>();
        assert_eq!(numbers(queues_after(&tx, 1, 10).unwrap()), [2, 5]);
        assert_eq!(numbers(queues_after(&tx, 0, 1).unwrap()), [1]);
    }

    #[test]
    fn another_connection_changes_the_data_version() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let before = data_version(&db).unwrap();
        assert_eq!(data_version(&db).unwrap(), before);
        let other = database.open_another();
        testing::write(&other, |tx| append(tx, 1));
        assert_ne!(data_version(&db).unwrap(), before);
    }
}
