//! The one writer: turns in order of arrival, and groups that share a flush.
//!
//! A write transaction waits for its turn without blocking a thread, runs
//! inside a savepoint of an outer transaction, and passes the turn on as soon
//! as it ends. The outer transaction is committed when nobody waits, or the
//! group is full or old; only then are its members' COMMITs answered. Nothing
//! is ever acknowledged that the outer commit has not made durable.

use super::committer::Committer;
use super::connection::{self, Opened};
use super::error::DatabaseError;
use super::options::{DatabaseOptions, Synchronous};
use super::statistics::Statistics;
use super::turn::{Turn, TurnInner};
use super::uncertain;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

/// What a group's members are told; `None` until the outer commit ended.
pub(super) type Outcome = Option<Result<(), Lost>>;

/// Why a group is lost, with everything its members did.
#[derive(Clone, Debug)]
pub(super) enum Lost {
    /// There is no room.
    Full(String),
    /// The outer commit failed.
    Commit(String),
    /// One of the transactions took the others along.
    ByMember(String),
}

impl Lost {
    /// For those who fail with the commit, or by a statement of their own.
    pub(super) fn of_commit(error: &DatabaseError) -> Self {
        if error.is_full() {
            Self::Full(error.to_string())
        } else {
            Self::Commit(error.to_string())
        }
    }

    /// For those whom another transaction has taken along.
    pub(super) fn of_member(error: &DatabaseError) -> Self {
        if error.is_full() {
            Self::Full(error.to_string())
        } else {
            Self::ByMember(error.to_string())
        }
    }

    /// What a member is told.
    pub(super) fn error(&self) -> DatabaseError {
        match self.clone() {
            Self::Full(reason) => DatabaseError::Full(reason),
            Self::Commit(reason) => DatabaseError::CommitFailed(reason),
            Self::ByMember(reason) => DatabaseError::GroupUndone(reason),
        }
    }
}

/// The writer connection and the line before it.
pub(super) struct Writer {
    pub(super) options: DatabaseOptions,
    pub(super) statistics: Arc<Statistics>,
    /// One permit, first come first served.
    turn: Arc<Semaphore>,
    waiting: AtomicUsize,
    /// Duration of the last outer commit, in microseconds.
    last_commit: AtomicU64,
    /// Pages in the write-ahead log since it last started anew.
    log_pages: AtomicU64,
    core: Mutex<Core>,
    /// The turn taken last, for the watchdog.
    current: Mutex<Weak<TurnInner>>,
    /// Commits groups, on a thread of its own.
    committer: Committer,
    pub(super) committed: watch::Sender<u64>,
}

/// What only the holder of the turn touches, and the committing thread.
pub(super) struct Core {
    pub(super) opened: Opened,
    pub(super) group: Option<Group>,
}

/// The transactions that share the outer transaction now open.
pub(super) struct Group {
    pub(super) outcome: watch::Sender<Outcome>,
    pub(super) members: usize,
    opened_at: Instant,
}

impl Writer {
    /// Opens the writer connection; must be called within a tokio runtime.
    pub(super) fn open(options: &DatabaseOptions) -> Result<Arc<Self>, DatabaseError> {
        let opened = connection::open_writer(options)?;
        let writer = Arc::new(Self {
            options: options.clone(),
            statistics: Arc::new(Statistics::new()),
            turn: Arc::new(Semaphore::new(1)),
            waiting: AtomicUsize::new(0),
            last_commit: AtomicU64::new(0),
            log_pages: AtomicU64::new(0),
            core: Mutex::new(Core {
                opened,
                group: None,
            }),
            current: Mutex::new(Weak::new()),
            committer: Committer::start()?,
            committed: watch::Sender::new(0),
        });
        tokio::spawn(watch_over(Arc::downgrade(&writer)));
        Ok(writer)
    }

    pub(super) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn and begins a transaction in the current group.
    pub(super) async fn begin(self: &Arc<Self>) -> Result<Turn, DatabaseError> {
        let started = Instant::now();
        let permit = self.take_place().await?;
        let turn = self.open_group(permit, started).await?;
        self.statistics.waited(started.elapsed());
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::downgrade(&turn.0);
        Ok(turn)
    }

    /// Stands in the line until it is this one's turn.
    async fn take_place(self: &Arc<Self>) -> Result<OwnedSemaphorePermit, DatabaseError> {
        let limit = self.options.wait_limit;
        let _place = Place::take(self);
        tokio::time::timeout(limit, Arc::clone(&self.turn).acquire_owned())
            .await
            .map_err(|_| DatabaseError::Busy(limit))?
            .map_err(|_| DatabaseError::Refused("the database is closing"))
    }

    /// Keeps all writers waiting, with nothing left to commit, until the permit
    /// is dropped.
    pub(super) async fn pause(self: &Arc<Self>) -> Result<OwnedSemaphorePermit, DatabaseError> {
        let permit = self.take_place().await?;
        let writer = Arc::clone(self);
        let (done, committed) = oneshot::channel();
        self.committer.run(move || {
            writer.commit_group();
            // Not wanted any more when the one who paused is gone.
            let _ = done.send(());
        });
        committed
            .await
            .map_err(|_| DatabaseError::Refused("the last group failed"))?;
        Ok(permit)
    }

    /// Pages in the write-ahead log that have not been written over.
    pub(super) fn log_pages(&self) -> u64 {
        self.log_pages.load(Ordering::Relaxed)
    }

    /// Makes sure that an outer transaction is open, then sets the savepoint.
    ///
    /// Another process may hold the file's lock; it is asked again and again
    /// with pauses, so that no thread of the runtime stands still.
    async fn open_group(
        self: &Arc<Self>,
        permit: OwnedSemaphorePermit,
        started: Instant,
    ) -> Result<Turn, DatabaseError> {
        let mut pause = Duration::from_millis(1);
        loop {
            let outcome = self.core().begin_member();
            match outcome {
                Ok(()) => return Ok(Turn::new(self, permit)),
                Err(error) if DatabaseError::is_locked(&error) => {
                    if started.elapsed() > self.options.wait_limit {
                        return Err(DatabaseError::Busy(self.options.wait_limit));
                    }
                }
                Err(error) => {
                    self.finish(permit);
                    return Err(error.into());
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Ends a turn: closes the group or passes the turn on.
    pub(super) fn finish(self: &Arc<Self>, permit: OwnedSemaphorePermit) {
        let waiting = self.waiting.load(Ordering::SeqCst);
        let mut core = self.core();
        let Some(group) = &core.group else {
            return;
        };
        if group.members == 0 {
            if waiting == 0 {
                // Nothing to keep: do not sit on the file's lock.
                core.abandon_group(Lost::Commit("nothing was committed".to_owned()));
            }
            return;
        }
        let close = waiting == 0
            || group.members >= self.options.group_size
            || group.opened_at.elapsed() >= self.window();
        if !close {
            return;
        }
        drop(core);
        if self.options.synchronous == Synchronous::Normal {
            self.commit_group();
            drop(permit);
        } else {
            let writer = Arc::clone(self);
            self.committer.run(move || {
                writer.commit_group();
                drop(permit);
            });
        }
    }

    /// How long a group stays open while others wait: what one flush takes, so
    /// that slow disks get larger groups, yet at least the configured time and
    /// at most ten times that.
    fn window(&self) -> Duration {
        let least = self.options.group_window;
        Duration::from_micros(self.last_commit.load(Ordering::Relaxed)).clamp(least, least * 10)
    }

    /// Commits the outer transaction and tells the members.
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
            // The lock must not stay taken; the members learn of the failure.
            let _ = run(connection, "ROLLBACK");
        }
        if let Err(DatabaseError::Sqlite(error)) = &outcome
            && uncertain::may_have_happened(error)
        {
            // Before the members are told, and before anybody else writes.
            uncertain::undo(&self.options.path);
        }
        drop(core);
        let duration = started.elapsed();
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.last_commit.store(micros, Ordering::Relaxed);
        self.statistics
            .group_ended(group.members, duration, outcome.is_ok());
        if let Err(error) = &outcome {
            self.note_failure(error);
            if !error.is_full() {
                tracing::error!(members = group.members, %error, "group commit failed");
            }
        }
        // Before the members hear of it, so that whoever has been answered can
        // rely on listeners having been told.
        if outcome.is_ok() {
            self.committed.send_modify(|count| *count += 1);
        }
        let outcome = outcome.map_err(|error| Lost::of_commit(&error));
        group.outcome.send_replace(Some(outcome));
    }

    /// Notes a write that has found no room, or a damaged file.
    pub(super) fn note_failure(&self, error: &DatabaseError) {
        self.options.damage.note(error);
        if let Some(room) = &self.options.room
            && error.is_full()
        {
            room.failed(error);
        }
    }

    /// Closes a group that was left open because every waiter went away.
    fn close_left_open(self: &Arc<Self>) {
        if let Ok(permit) = Arc::clone(&self.turn).try_acquire_owned() {
            self.finish(permit);
        }
    }
}

impl Core {
    fn begin_member(&mut self) -> rusqlite::Result<()> {
        let connection = &self.opened.connection;
        if self.group.is_none() {
            run(connection, "BEGIN IMMEDIATE")?;
            self.group = Some(Group {
                outcome: watch::Sender::new(None),
                members: 0,
                opened_at: Instant::now(),
            });
        }
        run(connection, "SAVEPOINT spindle_turn")
    }

    /// Keeps what the turn did and makes it a member of the group.
    pub(super) fn keep_member(&mut self) -> rusqlite::Result<Option<watch::Receiver<Outcome>>> {
        run(&self.opened.connection, "RELEASE spindle_turn")?;
        Ok(self.group.as_mut().map(|group| {
            group.members += 1;
            group.outcome.subscribe()
        }))
    }

    /// Undoes what the turn did, and nothing else.
    pub(super) fn undo_member(&mut self) {
        let connection = &self.opened.connection;
        let undone = run(connection, "ROLLBACK TO spindle_turn")
            .and_then(|()| run(connection, "RELEASE spindle_turn"));
        if let Err(error) = undone {
            self.abandon_group(Lost::of_member(&error.into()));
        }
    }

    /// Some failures make SQLite roll back the whole outer transaction; then
    /// the members must learn that they are lost.
    pub(super) fn lost_group(&mut self, lost: &Lost) -> bool {
        if self.group.is_some() && self.opened.connection.is_autocommit() {
            self.abandon_group(lost.clone());
            return true;
        }
        false
    }

    fn abandon_group(&mut self, lost: Lost) {
        if !self.opened.connection.is_autocommit() {
            let _ = run(&self.opened.connection, "ROLLBACK");
        }
        if let Some(group) = self.group.take() {
            group.outcome.send_replace(Some(Err(lost)));
        }
    }
}

fn run(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}

/// A place in the line. Whoever leaves the line last looks whether a group was
/// left open for a successor that will not come.
struct Place<'a>(&'a Arc<Writer>);

impl<'a> Place<'a> {
    fn take(writer: &'a Arc<Writer>) -> Self {
        writer.waiting.fetch_add(1, Ordering::SeqCst);
        Self(writer)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        self.0.close_left_open();
    }
}

/// Ends turns that lasted too long and closes groups that were left open.
async fn watch_over(writer: Weak<Writer>) {
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let Some(writer) = writer.upgrade() else {
            return;
        };
        let current = {
            let current = writer
                .current
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            current.upgrade()
        };
        if let Some(turn) = current {
            turn.expire_after(writer.options.turn_limit);
        }
        writer.close_left_open();
    }
}
