//! Records in tables of the main database, which several nodes share
//! (docs/adr/0055-queues-on-any-node.md).
//!
//! Heartbeats become rows of the event log, so that they have the same position in the queue on every node.

use std::sync::Arc;

use spindle_events::kinds;
use spindle_store::queue_positions::{self, QueuePosition};
use spindle_store::{Connection, DbError, NewEvent};

use super::positions::{Heartbeat, Pending, Position};
use spindle_database::Location;
use spindle_system::clock::Clock;

/// Queues of one heartbeat row: more are not indexed by user, and every queue would look at them.
const QUEUES_OF_A_ROW: usize = 200;

/// The database and the connection that writes to it, which is opened again after an error.
pub(super) struct SharedStore {
    database: Location,
    connection: Option<Box<dyn Connection + Send>>,
    clock: Clock,
}

impl std::fmt::Debug for SharedStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("SharedStore");
        shown
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

impl SharedStore {
    /// Connects.
    pub(super) fn open(database: &Location, clock: &Clock) -> Result<Self, DbError> {
        Ok(Self {
            connection: Some(database.connect()?),
            database: database.clone(),
            clock: clock.clone(),
        })
    }

    /// Adds `running_ms` to what all nodes know; returns the largest.
    pub(super) fn running_ms(&mut self, running_ms: i64) -> Result<i64, DbError> {
        self.connected(|db| queue_positions::share_running_time(db, running_ms))
    }

    /// Writes a batch. Every record but the heartbeats may be written twice. Returns the running time of all nodes, if
    /// the batch holds this node's.
    pub(super) fn write(
        &mut self,
        batch: &Pending,
        heartbeats: &[Heartbeat],
    ) -> Result<Option<i64>, DbError> {
        let now = self.clock.unix_seconds();
        self.connected(|db| {
            let rows: Vec<NewEvent> = heartbeats
                .chunks(QUEUES_OF_A_ROW)
                .map(heartbeat_row)
                .collect();
            queue_positions::append(db, &rows, now)?;
            if !batch.positions.is_empty() {
                let rows: Vec<_> = batch.positions.iter().map(row).collect();
                // A queue that is deleted at the same moment makes the first call fail.
                queue_positions::advance(db, &rows)
                    .or_else(|_| queue_positions::advance(db, &rows))?;
            }
            if !batch.ended.is_empty() {
                let ids: Vec<&str> = batch.ended.iter().map(|id| &**id).collect();
                queue_positions::end(db, &ids, now)?;
            }
            let running = batch.running_ms;
            running
                .map(|running| queue_positions::share_running_time(db, running))
                .transpose()
        })
    }

    fn connected<T>(
        &mut self,
        work: impl FnOnce(&dyn Connection) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.database.connect()?,
        };
        let result = work(&*connection);
        if result.is_ok() {
            self.connection = Some(connection);
        }
        result
    }
}

fn heartbeat_row(heartbeats: &[Heartbeat]) -> NewEvent {
    let queues = heartbeats
        .iter()
        .map(|heartbeat| (&*heartbeat.queue_id, heartbeat.user_id));
    let row = kinds::heartbeat::<'_>(queues).into_row();
    NewEvent {
        event_type: row.event_type,
        body: row.body,
        audience: row.audience,
    }
}

fn row((queue_id, position): (&Arc<str>, &Position)) -> QueuePosition {
    QueuePosition {
        queue_id: queue_id.to_string(),
        acked_id: position.acked_id,
        next_seq: position.next_seq,
        skip: i64::from(position.skip),
        active_ms: position.active_ms,
        ended: 0,
    }
}
