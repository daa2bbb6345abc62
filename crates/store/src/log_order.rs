//! The order of the event log on PostgreSQL (docs/adr/0051-the-order-of-the-log.md).
//!
//! Transactions commit in another order than they draw ids in, so each adds its events to an outbox, where
//! nobody reads them. Owns the transaction that moves committed events into the log and gives them their
//! places. One such transaction runs at a time, whatever node runs it, so places only grow at the end. On
//! SQLite, where writers are serial, events are written to the log itself, and nothing of this is called.

use crate::transaction::{BEGINS_ONE_BY_ONE, COMMITS, ROLLS_BACK};
use crate::{Connection, DbError, Statement, either, sql, statement};

/// Waits until no other node puts events in order. The number is this lock's among those of the database.
const LOCK: Statement = statement!(either!(
    "SELECT 1 AS locked",
    "SELECT pg_advisory_xact_lock(5471) IS NULL AS locked"
));

/// Moves committed events, those with the lowest ids first: an event that was written after another one was
/// committed has a higher id.
const MOVE: Statement = statement!(either!(
    "SELECT 0 AS moved",
    "WITH moved AS (DELETE FROM event_outbox WHERE id IN (SELECT id FROM event_outbox ORDER BY id LIMIT 1000) \
     RETURNING id, realm_id, time, type, body, audience), \
     placed AS (INSERT INTO event_log (origin, realm_id, time, type, body, audience) \
     SELECT id, realm_id, time, type, body, audience FROM moved ORDER BY id RETURNING 1) \
     SELECT count(*) AS moved FROM placed"
));

/// Gives every event that was committed before this call its place in the log; returns how many were moved.
pub fn put_in_order(connection: &dyn Connection) -> Result<i64, DbError> {
    let waits = sql!(either!(
        "SELECT 0 AS waits",
        "SELECT EXISTS (SELECT 1 FROM event_outbox) AS waits"
    ));
    let mut all = 0;
    while connection.query(waits, &[])?.value()? == Some(true) {
        all += move_some(connection)?;
    }
    Ok(all)
}

fn move_some(connection: &dyn Connection) -> Result<i64, DbError> {
    connection.execute(BEGINS_ONE_BY_ONE, &[])?;
    let moved = (|| {
        connection.execute(LOCK, &[])?;
        let moved = connection.execute(MOVE, &[])?.value()?;
        connection.execute(COMMITS, &[])?;
        moved.ok_or(DbError::NoRow)
    })();
    if moved.is_err() {
        // The first error matters.
        let _ = connection.execute(ROLLS_BACK, &[]);
    }
    moved
}
