//! The event log as readers and the pruning job see it; writers append through `WriteTx`.

use crate::{Db, DbError, WriteTx, among, either, params, row_struct, sql, statement};

row_struct! {
    /// The position of a snapshot in the log.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LogPoint {
        /// As [`position`].
        pub position: i64,
        /// Ids of events that the snapshot sees although the log has no position for them yet, as a JSON list;
        /// they will follow the position. Always empty on SQLite.
        pub unordered: String,
    }
}

/// The position of the snapshot `db`, from which a queue begins that is created with it.
pub fn point(db: &dyn Db) -> Result<LogPoint, DbError> {
    let point = db
        .query(
            sql!(either!(
                "SELECT max(coalesce((SELECT max(seq) FROM event_log), 0), coalesce((SELECT seq \
                 FROM sqlite_sequence WHERE name = 'event_log'), 0)) AS position, '[]' AS unordered",
                "SELECT coalesce(max(seq), 0) AS position, (SELECT coalesce(CAST(json_agg(id) AS TEXT), '[]') \
                 FROM event_outbox) AS unordered FROM event_log"
            )),
            &[],
        )?
        .first()?;
    point.ok_or(DbError::NoRow)
}

/// The newest sequence number, or 0 for an empty log. It survives pruning, so that a queue
/// created on a pruned log starts where the log will go on.
pub fn position(db: &dyn Db) -> Result<i64, DbError> {
    Ok(point(db)?.position)
}

/// Removes rows up to `seq` that are older than `kept` seconds at `now` (UNIX seconds), at most `limit`, so
/// that the writer is not held for long. Rows that were not yet searched for messages to push stay. On PostgreSQL the
/// clock of the database counts, since those of the nodes differ. Returns the number of removed rows.
pub fn prune(tx: &WriteTx<'_>, seq: i64, now: i64, kept: i64, limit: i64) -> Result<i64, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM event_log WHERE seq ",
            among!(
                "SELECT seq FROM event_log \
                 WHERE seq <= min(?1, coalesce((SELECT min(log_position) FROM push_service), ?1)) \
                 AND ",
                either!(
                    "time < ?2 - ?4 ",
                    "placed < least(?2:bigint, CAST(extract(epoch FROM now()) AS BIGINT)) - ?4 "
                ),
                // The newest row stays: `point` reads the position from it.
                either!("", "AND seq < (SELECT max(seq) FROM event_log) "),
                "ORDER BY seq LIMIT ?3"
            ),
            " RETURNING 1"
        ),
        &params![seq, now, limit, kept],
    )?;
    Ok(i64::try_from(rows.rows.len()).unwrap_or(i64::MAX))
}
