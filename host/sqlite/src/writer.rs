//! The single writer: a queue of write transactions, and group commit.
//!
//! A write transaction waits for its turn (`turns.rs`) without blocking a thread, becomes a member of the open group
//! (`group.rs`), and lets the next one in as soon as it ends. The group is committed when the queue is empty
//! and no transaction is about to begin, or when the group is full or old; only then are the COMMITs of its
//! members answered. No COMMIT is acknowledged before the commit of its group is durable.

use super::committer::Committer;
use super::connection;
use super::error::DatabaseError;
use super::group::{Core, GroupFailure, Member, run};
use super::group_window::{self, GroupWindow};
use super::options::{DatabaseOptions, Synchronous};
use super::statistics::Statistics;
use super::turns::{Turn, Turns};
use super::uncertain_commit;
use spindle_admission::memory::Client;
use spindle_system::clock::micros;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot, watch};

/// The writer connection and its queue.
pub(super) struct Writer {
    pub(super) options: DatabaseOptions,
    pub(super) statistics: Arc<Statistics>,
    /// The writer lock.
    turns: Turns,
    /// One permit for a transaction that takes long: the others of its kind wait outside of the queue, so that one of
    /// them at most is before any other transaction.
    pub(super) alone: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// Duration of the last outer commit, in microseconds.
    last_commit: AtomicU64,
    /// Pages in the write-ahead log since it was last restarted.
    log_pages: AtomicU64,
    group_window: GroupWindow,
    core: Mutex<Core>,
    /// The transaction that began last, for the watchdog.
    pub(super) current: Mutex<Weak<Member>>,
    /// Commits groups on its own thread.
    committer: Committer,
    pub(super) committed: watch::Sender<u64>,
    /// Called after every group commit.
    listeners: Mutex<Vec<Listener>>,
}

/// See [`super::Database::on_commit`].
pub(super) type Listener = Box<dyn Fn() + Send>;

impl Writer {
    /// Opens the writer connection; must be called within a tokio runtime.
    pub(super) fn open(options: &DatabaseOptions) -> Result<Arc<Self>, DatabaseError> {
        let opened = connection::open_writer(options)?;
        let writer = Arc::new(Self {
            options: options.clone(),
            statistics: Arc::new(Statistics::new()),
            turns: Turns::new(options.wait_limit),
            alone: Arc::new(Semaphore::new(1)),
            waiting: AtomicUsize::new(0),
            last_commit: AtomicU64::new(0),
            log_pages: AtomicU64::new(0),
            group_window: GroupWindow::new(match options.synchronous {
                Synchronous::Full => options.group_window,
                // Nothing is flushed.
                Synchronous::Normal => Duration::ZERO,
            }),
            core: Mutex::new(Core {
                opened,
                group: None,
            }),
            current: Mutex::new(Weak::new()),
            committer: Committer::start()?,
            committed: watch::Sender::new(0),
            listeners: Mutex::default(),
        });
        Ok(writer)
    }

    pub(super) fn listeners(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits in the queue for the writer lock.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        client: Option<Client>,
    ) -> Result<Turn, DatabaseError> {
        let _entry = QueueEntry::new(self);
        let turn = self.within_limit(self.turns.acquire(client)).await?;
        turn.ok_or(DatabaseError::Busy(self.options.wait_limit))
    }

    pub(super) async fn within_limit<T>(
        &self,
        waiting: impl Future<Output = T>,
    ) -> Result<T, DatabaseError> {
        let limit = self.options.wait_limit;
        let waited = tokio::time::timeout(limit, waiting).await;
        waited.map_err(|_| DatabaseError::Busy(limit))
    }

    /// Commits the open group and blocks all writers until the returned turn is dropped.
    pub(super) async fn pause(self: &Arc<Self>) -> Result<Turn, DatabaseError> {
        let turn = self.acquire(None).await?;
        self.close_group().await?;
        Ok(turn)
    }

    /// Commits the open group, if there is one. The caller holds the writer lock.
    pub(super) async fn close_group(self: &Arc<Self>) -> Result<(), DatabaseError> {
        let writer = Arc::clone(self);
        let (done, committed) = oneshot::channel();
        self.committer.run(move || {
            writer.commit_group();
            // The receiver is gone when the caller was cancelled.
            let _ = done.send(());
        });
        committed
            .await
            .map_err(|_| DatabaseError::Refused("the last group failed"))
    }

    /// Transactions that wait for the writer lock.
    #[cfg(test)]
    pub(super) fn queued(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Pages in the write-ahead log that have not been overwritten.
    pub(super) fn log_pages(&self) -> u64 {
        self.log_pages.load(Ordering::Relaxed)
    }

    /// Opens an outer transaction unless one is open, then sets the savepoint.
    ///
    /// Another process may hold the file's lock; this retries with pauses instead of blocking a
    /// thread of the runtime.
    pub(super) async fn open_group(
        self: &Arc<Self>,
        turn: Turn,
        started: Instant,
    ) -> Result<Turn, DatabaseError> {
        let mut pause = Duration::from_millis(1);
        loop {
            let outcome = self.core().begin_member();
            match outcome {
                Ok(()) => return Ok(turn),
                Err(error) if DatabaseError::is_locked(&error) => {
                    if started.elapsed() > self.options.wait_limit {
                        return Err(DatabaseError::Busy(self.options.wait_limit));
                    }
                }
                Err(error) => {
                    self.finish(turn);
                    return Err(error.into());
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Ends a transaction: commits the group, or releases the writer lock to the next in the queue.
    pub(super) fn finish(self: &Arc<Self>, turn: Turn) {
        let waiting = self.waiting.load(Ordering::SeqCst);
        let mut core = self.core();
        let Some(group) = &core.group else {
            return;
        };
        if group.members == 0 {
            if waiting == 0 {
                // Nothing to commit: release the file's lock.
                core.abandon_group(GroupFailure::Commit("nothing was committed".to_owned()));
            }
            return;
        }
        let window = group_window::window(self.last_flush(), self.options.group_window);
        let is_full =
            group.members >= self.options.group_size || group.opened_at.elapsed() >= window;
        if !is_full {
            if waiting > 0 {
                return;
            }
            let (members, flush) = (group.members, self.last_flush());
            if let Some(until) = self
                .group_window
                .open_until(members, group.opened_at, flush)
            {
                drop(core);
                let writer = Arc::downgrade(self);
                self.committer.run_at(until, move || {
                    if let Some(writer) = writer.upgrade() {
                        writer.close_abandoned();
                    }
                });
                return;
            }
        }
        drop(core);
        if self.options.synchronous == Synchronous::Normal {
            self.commit_group();
            drop(turn);
        } else {
            let writer = Arc::clone(self);
            self.committer.run(move || {
                writer.commit_group();
                drop(turn);
            });
        }
    }

    fn last_flush(&self) -> Duration {
        Duration::from_micros(self.last_commit.load(Ordering::Relaxed))
    }

    /// Commits the outer transaction and sends the result to its members.
    fn commit_group(&self) {
        let mut core = self.core();
        let Some(group) = core.group.take() else {
            return;
        };
        let started = Instant::now();
        let connection = &core.opened.connection;
        let outcome = run(connection, "COMMIT").map_err(DatabaseError::from);
        if let Some(pages) = connection::take_log_pages() {
            self.log_pages.store(pages, Ordering::Relaxed);
        }
        if outcome.is_err() && !connection.is_autocommit() {
            // Release the file's lock; the members receive the failure below.
            let _ = run(connection, "ROLLBACK");
        }
        if let Err(DatabaseError::Sqlite(error)) = &outcome
            && uncertain_commit::may_be_recovered(error)
        {
            // Before the members are answered, and before the next transaction writes.
            uncertain_commit::prevent_recovery(&self.options.path);
        }
        drop(core);
        let duration = started.elapsed();
        self.last_commit.store(micros(duration), Ordering::Relaxed);
        let waiting = self.waiting.load(Ordering::SeqCst);
        self.group_window.group_ended(group.members, waiting);
        self.statistics
            .group_ended(group.members, duration, outcome.is_ok());
        if let Err(error) = &outcome {
            self.note_failure(error);
            if !error.is_full() {
                tracing::error!(members = group.members, %error, "group commit failed");
            }
        }
        // Subscribers are notified before the members are answered, so that a caller whose COMMIT
        // returned can rely on that notification.
        if outcome.is_ok() {
            self.committed.send_modify(|count| *count += 1);
            for listener in self.listeners().iter() {
                listener();
            }
        }
        let outcome = outcome.map_err(|error| GroupFailure::of_commit(&error));
        group.outcome.send_replace(Some(outcome));
    }

    /// Records a write that failed because the disk is full or the file is corrupt.
    pub(super) fn note_failure(&self, error: &DatabaseError) {
        self.options.damage.note(error);
        if let Some(room) = &self.options.disk_space
            && error.is_full()
        {
            room.failed(error);
        }
    }

    /// Commits a group that was left open: because every queued transaction was cancelled, or for
    /// others that have not come.
    pub(super) fn close_abandoned(self: &Arc<Self>) {
        if let Some(turn) = self.turns.try_acquire() {
            self.finish(turn);
        }
    }
}

/// Counts a transaction as queued. When it leaves the queue it commits a group that was kept open
/// for a successor that was cancelled.
struct QueueEntry<'a>(&'a Arc<Writer>);

impl<'a> QueueEntry<'a> {
    fn new(writer: &'a Arc<Writer>) -> Self {
        writer.waiting.fetch_add(1, Ordering::SeqCst);
        Self(writer)
    }
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        self.0.close_abandoned();
    }
}
