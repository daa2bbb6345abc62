//! Positions of event queues on PostgreSQL, where every node may serve every queue
//! (docs/adr/0055-queues-on-any-node.md).
//!
//! Owns the tables `queue_positions` and `queue_service`. Positions only advance: of two nodes that know a queue, the one
//! that is behind changes nothing. Nothing here is called on SQLite, where the event-queue service has a
//! file of its own.

use serde_json::json;
use spindle_domain::RealmId;

use crate::{
    Changed, Connection, Db, DbError, NewEvent, change, either, params, row_struct, sql, statement,
};

row_struct! {
    /// The position of a queue's client in the log.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct QueuePosition {
        /// The queue's id on the wire.
        pub queue_id: String,
        /// Events up to this id are acknowledged; -1 before the first.
        pub acked_id: i64,
        /// The row of the log in which the events that follow begin.
        pub next_seq: i64,
        /// Events of that row that are acknowledged.
        pub skip: i64,
        /// The running time of all nodes at the last poll, in milliseconds.
        pub active_ms: i64,
        /// 1 when the queue has ended.
        pub ended: i64,
    }
}

/// The position of a queue; `None` when the queue does not exist.
pub fn find(db: &dyn Db, queue_id: &str) -> Result<Option<QueuePosition>, DbError> {
    let sql = sql!(either!(
        "SELECT ?1 AS queue_id, 0 AS acked_id, 0 AS next_seq, 0 AS skip, 0 AS active_ms, 0 AS ended WHERE 0",
        "SELECT queue_id, acked_id, next_seq, skip, active_ms, ended FROM queue_positions WHERE queue_id = ?1"
    ));
    db.query(sql, &params![queue_id])?.first()
}

/// Advances positions. Deleted queues are skipped.
///
/// # Errors
/// [`DbError`] also when a queue is deleted at the same time; the same call then succeeds.
pub fn advance(connection: &dyn Connection, positions: &[QueuePosition]) -> Result<(), DbError> {
    let rows: Vec<_> = positions
        .iter()
        .map(|position| {
            json!({
                "queue_id": position.queue_id, "acked_id": position.acked_id, "next_seq": position.next_seq,
                "skip": position.skip, "active_ms": position.active_ms,
            })
        })
        .collect();
    connection.execute(
        statement!(either!(
            "SELECT ?1 AS queue_id WHERE 0",
            "INSERT INTO queue_positions AS known (queue_id, acked_id, next_seq, skip, active_ms) \
             SELECT id, new.acked_id, new.next_seq, new.skip, new.active_ms \
             FROM json_to_recordset(CAST(?1:text AS JSON)) AS new (queue_id TEXT, acked_id BIGINT, next_seq BIGINT, \
             skip BIGINT, active_ms BIGINT) JOIN event_queues ON id = new.queue_id COLLATE \"C\" ORDER BY id \
             ON CONFLICT (queue_id) DO UPDATE SET acked_id = greatest(known.acked_id, excluded.acked_id), \
             next_seq = greatest(known.next_seq, excluded.next_seq), \
             skip = CASE WHEN excluded.next_seq > known.next_seq THEN excluded.skip \
             WHEN excluded.next_seq < known.next_seq THEN known.skip ELSE greatest(known.skip, excluded.skip) END, \
             active_ms = greatest(known.active_ms, excluded.active_ms) RETURNING known.queue_id"
        )),
        &params![json!(rows).to_string()],
    )?;
    Ok(())
}

/// Ends queues and says so to all nodes through the log, at `now` (UNIX seconds). Repeated calls change nothing.
pub fn end(connection: &dyn Connection, queue_ids: &[&str], now: i64) -> Result<(), DbError> {
    connection.execute(
        statement!(either!(
            "SELECT ?1 AS id, ?2 AS realm_id, ?3 AS time WHERE 0",
            "WITH due AS (SELECT queue_id FROM queue_positions WHERE ended = 0 \
             AND queue_id IN (SELECT value FROM json_texts(?1)) ORDER BY queue_id FOR UPDATE), \
             ended AS (UPDATE queue_positions AS known SET ended = 1 FROM due \
             WHERE known.queue_id = due.queue_id RETURNING known.queue_id) \
             INSERT INTO event_outbox (realm_id, time, type, body, audience) SELECT ?2:bigint, ?3:bigint, 'queues_ended', \
             CAST(json_build_object('queues', json_agg(queue_id)) AS TEXT), '{}' FROM ended HAVING count(*) > 0 \
             RETURNING id, realm_id, time"
        )),
        &params![json!(queue_ids).to_string(), RealmId::ONLY, now],
    )?;
    Ok(())
}

/// Queues that have not ended and were last polled so long ago that they may at `running_ms`, at most `limit`. They are
/// given `spare_ms` more than they asked for.
pub fn idle(
    db: &dyn Db,
    running_ms: i64,
    spare_ms: i64,
    limit: i64,
) -> Result<Vec<String>, DbError> {
    let sql = sql!(either!(
        "SELECT id AS queue_id FROM event_queues WHERE id = ?1 + ?2 AND 0 LIMIT ?3",
        "SELECT queue_id FROM queue_positions JOIN event_queues ON id = queue_id WHERE ended = 0 \
         AND active_ms + idle_timeout_secs * 1000 + ?2 <= ?1 ORDER BY queue_id LIMIT ?3"
    ));
    db.query(sql, &params![running_ms, spare_ms, limit])?
        .values()
}

/// Queues that have ended and whose rows are still there, at most `limit`.
pub fn ended(db: &dyn Db, limit: i64) -> Result<Vec<String>, DbError> {
    let sql = sql!(either!(
        "SELECT id AS queue_id FROM event_queues WHERE 0 LIMIT ?1",
        "SELECT queue_id FROM queue_positions WHERE ended = 1 ORDER BY queue_id LIMIT ?1"
    ));
    db.query(sql, &params![limit])?.values()
}

/// The first row of the log that a queue still needs; `None` without queues.
pub fn first_needed(db: &dyn Db) -> Result<Option<i64>, DbError> {
    let sql = sql!(either!(
        "SELECT NULL AS next_seq",
        "SELECT min(next_seq) AS next_seq FROM queue_positions WHERE ended = 0"
    ));
    Ok(db.query(sql, &[])?.value::<Option<i64>>()?.flatten())
}

/// The time for which at least one node was running, in milliseconds, of which this node knows `running_ms`.
pub fn share_running_time(connection: &dyn Connection, running_ms: i64) -> Result<i64, DbError> {
    let rows = connection.execute(
        statement!(either!(
            "SELECT ?1 AS value",
            "INSERT INTO queue_service AS known (name, value) VALUES ('running_ms', ?1) \
             ON CONFLICT (name) DO UPDATE SET value = greatest(known.value, excluded.value) RETURNING value"
        )),
        &params![running_ms],
    )?;
    rows.value()?.ok_or(DbError::NoRow)
}

/// Adds rows to the log that are meant for queues, at `now` (UNIX seconds).
pub fn append(connection: &dyn Connection, events: &[NewEvent], now: i64) -> Result<(), DbError> {
    let Some((first, rest)) = events.split_first() else {
        return Ok(());
    };
    change(connection, RealmId::ONLY, now, |_| {
        Ok::<_, DbError>(Changed::new((), first.clone()).and(rest.to_vec()))
    })
}
