//! Reads the event log: from memory where possible, otherwise from the database.
//!
//! Owns the ring of recent rows and the read connections. Database reads happen on threads
//! that may block, never in an asynchronous task; the ring answers in microseconds.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use spindle_events::{LogRow, Registration};
use spindle_store::event_delivery::{self, LogEntry};
use spindle_store::{Connection, Db, DbError, log_order, queue_positions};

use super::cached_row::CachedRow;
use super::replay::RowSource;
use super::ring::{Batch, Found, Missing, Ring, Slot};
use spindle_database::Location;

/// Rows of one read from the database.
const PAGE: i64 = 1000;

/// Idle read connections that are kept.
const KEPT_CONNECTIONS: usize = 4;

/// The log as queues see it.
pub(super) struct Log {
    database: Location,
    ring: RwLock<Ring>,
    /// [`Ring::end`], to be read without the lock.
    end: AtomicI64,
    idle: Mutex<Vec<Box<dyn Connection + Send>>>,
    /// Held by the one thread that loads older rows into the ring; others wait and find them there.
    extending: Mutex<()>,
}

fn connect(database: &Location) -> Result<Box<dyn Connection + Send>, DbError> {
    match database.orders_log() {
        true => database.connect(),
        false => database.connect_to_read(),
    }
}

impl Log {
    /// Opens the log with an empty ring at its current end.
    pub(super) fn open(database: &Location, ring_bytes: usize) -> Result<Self, DbError> {
        let connection = connect(database)?;
        let last = event_delivery::last_seq(&*connection)?;
        let ring = Ring::new(last, ring_bytes);
        Ok(Self {
            database: database.clone(),
            end: AtomicI64::new(ring.end()),
            ring: RwLock::new(ring),
            idle: Mutex::new(vec![connection]),
            extending: Mutex::default(),
        })
    }

    /// A connection that reads, and puts events in order where that is needed.
    pub(super) fn connect(&self) -> Result<Box<dyn Connection + Send>, DbError> {
        connect(&self.database)
    }

    /// Gives every committed event its position in the log, where the database does not do that itself. Blocks.
    pub(super) fn put_in_order(&self, connection: &dyn Connection) -> Result<(), DbError> {
        if self.database.orders_log() {
            log_order::put_in_order(connection)?;
        }
        Ok(())
    }

    /// Positions of events that the snapshot of a queue holds although they follow its base. Blocks.
    pub(super) fn positions_of(&self, base_seq: i64, unordered: &str) -> Result<Vec<i64>, DbError> {
        if unordered == "[]" {
            return Ok(Vec::new());
        }
        self.with_connection(|connection| {
            self.put_in_order(connection)?;
            event_delivery::positions_of(connection, base_seq, unordered)
        })
    }

    /// Whether the database takes a write, and so has standbys that confirm it where it needs any. Blocks.
    pub(super) fn takes_writes(&self) -> bool {
        let written =
            self.with_connection(|connection| queue_positions::share_running_time(connection, 0));
        written.is_ok()
    }

    /// The position after the newest row that was read.
    pub(super) fn end(&self) -> i64 {
        self.end.load(Ordering::Acquire)
    }

    /// Memory taken by the ring.
    pub(super) fn bytes(&self) -> usize {
        self.read_ring().bytes()
    }

    /// Runs `read` with a read connection; blocks.
    pub(super) fn with_reader<T>(
        &self,
        read: impl FnOnce(&dyn Db) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        self.with_connection(|connection| read(connection))
    }

    fn with_connection<T>(
        &self,
        read: impl FnOnce(&dyn Connection) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let kept = self.lock_idle().pop();
        let connection = match kept {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let result = read(&*connection);
        let mut idle = self.lock_idle();
        if result.is_ok() && idle.len() < KEPT_CONNECTIONS {
            idle.push(connection);
        }
        result
    }

    /// Reads rows committed since the last call and returns them, ascending, and whether these were
    /// all. Blocks; called by one thread only.
    pub(super) fn follow(&self, db: &dyn Db) -> Result<(Vec<Arc<CachedRow>>, bool), DbError> {
        let entries = event_delivery::log_from(db, self.end(), PAGE)?;
        let is_last = (entries.len() as i64) < PAGE;
        if entries.is_empty() {
            return Ok((Vec::new(), is_last));
        }
        let forms = Arc::clone(self.read_ring().forms());
        let rows: Vec<_> = entries.iter().map(|entry| cached(entry, &forms)).collect();
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        for row in &rows {
            ring.push(Arc::clone(row));
        }
        self.end.store(ring.end(), Ordering::Release);
        Ok((rows, is_last))
    }

    /// Rows that are in memory.
    pub(super) fn ring_source(&self) -> RingSource<'_> {
        RingSource { log: self }
    }

    /// Rows from memory and the database; blocks.
    pub(super) fn any_source(&self) -> AnySource<'_> {
        AnySource {
            log: self,
            has_read: false,
        }
    }

    /// Whether every row from `from` on is in memory.
    pub(super) fn holds(&self, from: i64) -> bool {
        from >= self.read_ring().start()
    }

    fn read_ring(&self) -> std::sync::RwLockReadGuard<'_, Ring> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_idle(&self) -> std::sync::MutexGuard<'_, Vec<Box<dyn Connection + Send>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Extends the index down to `first`, or as far as it can, and loads older rows while the ring
    /// has room.
    fn extend_to(&self, first: i64) -> Result<(), DbError> {
        let _one = self
            .extending
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            let (indexed, holds, forms) = {
                let ring = self.read_ring();
                if ring.indexed() <= first || !ring.can_index() {
                    return Ok(());
                }
                (ring.indexed(), ring.has_room(), Arc::clone(ring.forms()))
            };
            if holds {
                self.hold_older(first, indexed, &forms)?;
            } else {
                self.index_older(first, indexed)?;
            }
        }
    }

    fn hold_older(
        &self,
        first: i64,
        indexed: i64,
        forms: &Arc<AtomicUsize>,
    ) -> Result<(), DbError> {
        let entries =
            self.with_reader(|db| event_delivery::log_before(db, first, indexed, PAGE))?;
        let covers = covered(entries.last().map(|entry| entry.seq), entries.len(), first);
        let rows = entries.iter().map(|entry| cached(entry, forms)).collect();
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        // The oldest rows may have been evicted in between; then these would leave a gap.
        if ring.indexed() == indexed && ring.has_room() {
            ring.extend_back(rows, covers);
        }
        Ok(())
    }

    fn index_older(&self, first: i64, indexed: i64) -> Result<(), DbError> {
        let audiences =
            self.with_reader(|db| event_delivery::audiences_before(db, first, indexed, PAGE))?;
        let covers = covered(audiences.last().map(|row| row.seq), audiences.len(), first);
        let rows: Vec<_> = audiences
            .into_iter()
            // An unreadable row concerns no queue, as in `cached`.
            .map(|row| {
                (
                    row.seq,
                    serde_json::from_str(&row.audience).unwrap_or_default(),
                )
            })
            .collect();
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        if ring.indexed() == indexed {
            ring.index_back(&rows, covers);
        }
        Ok(())
    }

    /// Loads the rows that `found` lacks from the database.
    fn complete(&self, found: Found) -> Result<Batch, DbError> {
        let absent: Vec<i64> = found
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Absent(seq) => Some(*seq),
                Slot::Held(_) => None,
            })
            .collect();
        let entries = if absent.is_empty() {
            Vec::new()
        } else {
            self.with_reader(|db| event_delivery::log_rows(db, &absent))?
        };
        let forms = Arc::default();
        let mut read: HashMap<i64, _> = entries
            .iter()
            .map(|entry| (entry.seq, cached(entry, &forms)))
            .collect();
        let rows = found.slots.into_iter().filter_map(|slot| match slot {
            Slot::Held(row) => Some(row),
            Slot::Absent(seq) => read.remove(&seq),
        });
        Ok(Batch {
            rows: rows.collect(),
            next_seq: found.next_seq,
            is_last: found.is_last,
        })
    }
}

/// The first position that a page covers which was read in descending order.
fn covered(last: Option<i64>, length: usize, first: i64) -> i64 {
    match last {
        Some(seq) if length as i64 == PAGE => seq,
        _ => first,
    }
}

fn cached(entry: &LogEntry, forms: &Arc<AtomicUsize>) -> Arc<CachedRow> {
    let row = LogRow::parse(entry.seq, &entry.event_type, &entry.body, &entry.audience);
    let row = row.unwrap_or_else(|error| {
        tracing::error!(seq = entry.seq, %error, "an event cannot be read and is not delivered");
        LogRow::for_nobody(entry.seq)
    });
    CachedRow::new(row, forms)
}

impl std::fmt::Debug for Log {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Log");
        shown
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

/// See [`Log::ring_source`].
pub(super) struct RingSource<'a> {
    log: &'a Log,
}

impl RowSource for RingSource<'_> {
    fn batch(&mut self, registration: &Registration, from: i64) -> Result<Batch, Missing> {
        self.log.read_ring().batch(registration, from)
    }
}

/// See [`Log::any_source`].
pub(super) struct AnySource<'a> {
    log: &'a Log,
    has_read: bool,
}

impl AnySource<'_> {
    /// Whether rows came from the database, where they may have been pruned in between.
    pub(super) fn has_read_database(&self) -> bool {
        self.has_read
    }
}

impl RowSource for AnySource<'_> {
    fn batch(&mut self, registration: &Registration, from: i64) -> Result<Batch, Missing> {
        let unavailable = Missing {
            indexed_from: i64::MAX,
        };
        let failed = |error: DbError| {
            tracing::error!(%error, "the event log cannot be read");
            unavailable
        };
        let found = self.log.read_ring().find(registration, from);
        if let Ok(found) = found {
            self.has_read |= found.is_incomplete();
            return self.log.complete(found).map_err(failed);
        }
        self.has_read = true;
        self.log.extend_to(from).map_err(failed)?;
        let found = self.log.read_ring().find(registration, from);
        let missing = match found {
            Ok(found) => return self.log.complete(found).map_err(failed),
            Err(missing) => missing,
        };
        // Older than the index: read these rows one by one.
        let read = |db: &dyn Db| event_delivery::log_from(db, from, PAGE);
        let mut entries = self.log.with_reader(read).map_err(failed)?;
        let full = entries.len() as i64 == PAGE;
        entries.retain(|entry| entry.seq < missing.indexed_from);
        let next_seq = match entries.last() {
            Some(entry) if full => entry.seq.saturating_add(1),
            _ => missing.indexed_from,
        };
        let forms = Arc::default();
        Ok(Batch {
            rows: entries.iter().map(|entry| cached(entry, &forms)).collect(),
            next_seq,
            is_last: false,
        })
    }
}
