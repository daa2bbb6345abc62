//! Following the event log: reading its new rows, one read at a time, and waiting for a read.
//!
//! Owns the log and the thread that reads it; `delivery` decides what happens to the rows.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use spindle_store::event_delivery::data_version;
use spindle_store::{Connection, DbError};
use tokio::sync::watch;

use super::cached_row::CachedRow;
use super::log::Log;
use super::task_health::TaskHealth;
use super::wake_signal::WakeSignal;

/// Longest wait for one read of the log; only an unresponsive database takes as long.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// The log and its reads.
#[derive(Debug)]
pub(super) struct Follower {
    pub(super) log: Log,
    pub(super) wake: WakeSignal,
    /// Health of the thread that reads.
    pub(super) health: TaskHealth,
    /// Number of reads that have begun. One read runs at a time.
    begun: AtomicU64,
    done: watch::Sender<u64>,
    /// There was a commit since queues were last searched for.
    pub(super) committed: AtomicBool,
    /// The next read panics.
    #[cfg(test)]
    pub(super) is_to_panic: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Follower {
    pub(super) fn new(log: Log) -> Self {
        Self {
            log,
            wake: WakeSignal::default(),
            health: TaskHealth::new("following the event log"),
            begun: AtomicU64::new(0),
            done: watch::Sender::new(0),
            committed: AtomicBool::new(false),
            #[cfg(test)]
            is_to_panic: AtomicBool::new(false),
            thread: Mutex::default(),
        }
    }

    /// Waits until all rows that were committed before this call have been read; false when that takes too long.
    pub(super) async fn catch_up(&self) -> bool {
        // A read in progress may have begun too early; the next one has not.
        let wanted = self.begun.load(Ordering::Acquire) + 1;
        let mut done = self.done.subscribe();
        self.wake.notify();
        let read = done.wait_for(|number| *number >= wanted);
        let in_time = tokio::time::timeout(READ_TIMEOUT, read).await.is_ok();
        if !in_time {
            tracing::warn!("the event log was not read in time");
        }
        in_time
    }

    /// Reads new rows and hands them to `deliver`; returns whether there were any.
    pub(super) fn read(
        &self,
        db: &dyn Connection,
        notified: bool,
        known: &mut Option<i64>,
        deliver: impl FnMut(&[Arc<CachedRow>]),
    ) -> Result<bool, DbError> {
        let number = self.begun.fetch_add(1, Ordering::AcqRel) + 1;
        #[cfg(test)]
        assert!(
            !self.is_to_panic.swap(false, Ordering::AcqRel),
            "requested by a test"
        );
        let outcome = self.read_new_rows(db, notified, known, deliver);
        self.done.send_replace(number);
        outcome
    }

    fn read_new_rows(
        &self,
        db: &dyn Connection,
        notified: bool,
        known: &mut Option<i64>,
        mut deliver: impl FnMut(&[Arc<CachedRow>]),
    ) -> Result<bool, DbError> {
        // Read before the log, so that a commit in between is noticed next time.
        self.log.put_in_order(db)?;
        let version = data_version(db)?;
        if !notified && *known == Some(version) {
            return Ok(false);
        }
        let mut has_rows = false;
        loop {
            let (rows, is_last) = self.log.follow(db)?;
            if !rows.is_empty() {
                has_rows = true;
                deliver(&rows);
            }
            if is_last {
                break;
            }
        }
        *known = Some(version);
        self.committed.store(true, Ordering::Release);
        Ok(has_rows)
    }

    pub(super) fn keep(&self, thread: JoinHandle<()>) {
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
    }

    pub(super) fn join(&self) {
        let kept = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if kept.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that follows the event log stopped unexpectedly");
        }
    }
}
