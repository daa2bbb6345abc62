//! Records in `queues.db`, a file of SQLite.
//!
//! Full synchronous mode: a recorded heartbeat must survive power loss before it is sent.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::positions::{Heartbeat, Pending, Position, Stored};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS meta (
    name     TEXT PRIMARY KEY,
    value    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Where the client of a queue stands: everything up to acked_id is acknowledged, and the
-- events that follow begin in log row next_seq after its first `skip` events. active_ms is
-- the running time of the service at the last poll.
CREATE TABLE IF NOT EXISTS positions (
    queue_id  TEXT PRIMARY KEY,
    acked_id  INTEGER NOT NULL,
    next_seq  INTEGER NOT NULL,
    skip      INTEGER NOT NULL,
    active_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Ids that were given to heartbeats and are not yet acknowledged.
CREATE TABLE IF NOT EXISTS heartbeats (
    queue_id  TEXT NOT NULL,
    id        INTEGER NOT NULL,
    PRIMARY KEY (queue_id, id)
) STRICT, WITHOUT ROWID;
-- Queues that are over, until their rows are gone from the main database.
CREATE TABLE IF NOT EXISTS ended (
    queue_id  TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
";

/// A connection to the file.
#[derive(Debug)]
pub(super) struct FileStore {
    connection: Connection,
}

fn position(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Position> {
    Ok(Position {
        acked_id: row.get(first)?,
        next_seq: row.get(first + 1)?,
        skip: row.get(first + 2)?,
        active_ms: row.get(first + 3)?,
    })
}

impl FileStore {
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        Ok(Self { connection })
    }

    /// Creates the tables; in a new file, records up to which number queues are unknown.
    pub(super) fn initialize(&mut self, newest_queue: i64) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        let new = "INSERT INTO meta VALUES ('lost_up_to', ?1), ('running_ms', 0) \
                   ON CONFLICT DO NOTHING";
        transaction.execute(new, [newest_queue])?;
        transaction.commit()
    }

    pub(super) fn meta(&self, name: &str) -> rusqlite::Result<i64> {
        let sql = "SELECT value FROM meta WHERE name = ?1";
        self.connection.query_row(sql, [name], |row| row.get(0))
    }

    pub(super) fn load(&self, queue_id: &str) -> rusqlite::Result<Stored> {
        let sql = "SELECT acked_id, next_seq, skip, active_ms FROM positions WHERE queue_id = ?1";
        let mut select = self.connection.prepare_cached(sql)?;
        let found = select.query_row([queue_id], |row| position(row, 0));
        let sql = "SELECT id FROM heartbeats WHERE queue_id = ?1 ORDER BY id";
        let mut select = self.connection.prepare_cached(sql)?;
        let ids = select.query_map([queue_id], |row| row.get(0))?;
        let sql = "SELECT EXISTS (SELECT 1 FROM ended WHERE queue_id = ?1)";
        let mut exists = self.connection.prepare_cached(sql)?;
        Ok(Stored {
            position: found.optional()?,
            heartbeats: ids.collect::<rusqlite::Result<_>>()?,
            ended: exists.query_row([queue_id], |row| row.get(0))?,
        })
    }

    pub(super) fn positions(&self) -> rusqlite::Result<HashMap<String, Position>> {
        let sql = "SELECT queue_id, acked_id, next_seq, skip, active_ms FROM positions";
        let mut select = self.connection.prepare(sql)?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, position(row, 1)?)))?;
        rows.collect()
    }

    pub(super) fn ended(&self) -> rusqlite::Result<Vec<String>> {
        let mut select = self.connection.prepare("SELECT queue_id FROM ended")?;
        let rows = select.query_map([], |row| row.get(0))?;
        rows.collect()
    }

    /// Applies a batch in one transaction. A heartbeat's row is deleted in the transaction that makes
    /// its acknowledgement durable, never before.
    pub(super) fn write(
        &mut self,
        batch: &Pending,
        heartbeats: &[Heartbeat],
    ) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut upsert = transaction.prepare_cached(
                "INSERT INTO positions VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET \
                 acked_id = excluded.acked_id, next_seq = excluded.next_seq, \
                 skip = excluded.skip, active_ms = excluded.active_ms",
            )?;
            let mut acknowledged = transaction
                .prepare_cached("DELETE FROM heartbeats WHERE queue_id = ?1 AND id <= ?2")?;
            for (id, at) in &batch.positions {
                let row = params![id, at.acked_id, at.next_seq, at.skip, at.active_ms];
                upsert.execute(row)?;
                acknowledged.execute(params![id, at.acked_id])?;
            }
            let mut insert =
                transaction.prepare_cached("INSERT OR IGNORE INTO heartbeats VALUES (?1, ?2)")?;
            for heartbeat in heartbeats {
                insert.execute(params![heartbeat.queue_id, heartbeat.id])?;
            }
            let mut forget = [
                transaction.prepare_cached("DELETE FROM positions WHERE queue_id = ?1")?,
                transaction.prepare_cached("DELETE FROM heartbeats WHERE queue_id = ?1")?,
            ];
            for id in batch.ended.iter().chain(&batch.forgotten) {
                for delete in &mut forget {
                    delete.execute([id])?;
                }
            }
            let mut end = transaction.prepare_cached("INSERT OR IGNORE INTO ended VALUES (?1)")?;
            for id in &batch.ended {
                end.execute([id])?;
            }
            let mut gone = transaction.prepare_cached("DELETE FROM ended WHERE queue_id = ?1")?;
            for id in &batch.forgotten {
                gone.execute([id])?;
            }
            if let Some(milliseconds) = batch.running_ms {
                let sql = "UPDATE meta SET value = ?1 WHERE name = 'running_ms'";
                transaction.prepare_cached(sql)?.execute([milliseconds])?;
            }
        }
        transaction.commit()
    }
}
