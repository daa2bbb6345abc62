//! Starting and stopping the service, and the state that its parts share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use spindle_store::DbError;
use spindle_store::event_delivery;
use tokio::sync::{Semaphore, watch};

use super::deadlines::Deadlines;
use super::ended_credentials::EndedCredentials;
use super::journal::Journal;
use super::log::Log;
use super::options::EventOptions;
use super::shared::Checked;
use super::statistics::Statistics;
use super::table::Table;
use super::task_health::{self, TaskHealth};
use super::waiting_polls::WaitingPolls;
use super::wake_signal::WakeSignal;
use super::{delivery, heartbeat, maintenance};
use crate::clock::Clock;
use crate::concurrency::ConcurrencyLimit;
use crate::memory::Memory;

/// Most threads that read the database for polls at once; half of them for one account, which may poll hundreds of queues.
pub(crate) const READING_THREADS: usize = 4;

/// How long a poll waits while its account has its part of them.
const READING_WAIT: Duration = Duration::from_secs(10);

/// The delivery thread reports activity many times a second; without any for this long, the service
/// is unhealthy.
const STANDSTILL: Duration = Duration::from_secs(10);

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum EventsFailure {
    /// The main database cannot be read.
    #[error("the event log cannot be read: {0}")]
    Database(#[from] DbError),
    /// The journal cannot be used.
    #[error("the positions of queues cannot be used: {0}")]
    Journal(#[source] DbError),
    /// A thread cannot be started.
    #[error("a thread of the event service cannot be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// The event-queue service; clones are handles to the same one.
#[derive(Debug, Clone)]
pub struct EventService {
    pub(super) inner: Arc<Inner>,
}

/// The state shared by the parts of the service.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) options: EventOptions,
    pub(super) clock: Clock,
    pub(super) log: Log,
    pub(super) journal: Journal,
    pub(super) table: Table,
    pub(super) waiting: WaitingPolls,
    pub(super) ended_credentials: EndedCredentials,
    pub(super) deadlines: Deadlines,
    pub(super) statistics: Statistics,
    pub(super) wake: WakeSignal,
    pub(super) readers: Semaphore,
    /// Those of one account.
    pub(super) own_readers: Arc<ConcurrencyLimit>,
    pub(super) tickets: AtomicU64,
    /// Queues up to this number are unknown to the journal and have ended.
    pub(super) lost_up_to: i64,
    /// Number of the newest queue in the table.
    pub(super) newest: AtomicI64,
    /// Number of reads of the log that have begun. One read runs at a time.
    pub(super) reads_begun: AtomicU64,
    pub(super) reads_done: watch::Sender<u64>,
    /// See [`Inner::has_current_database`].
    pub(super) checked: Checked,
    /// There was a commit since queues were last searched for.
    pub(super) committed: AtomicBool,
    /// The last heartbeats could not be written.
    pub(super) journal_fails: AtomicBool,
    /// Polls no longer wait.
    pub(super) releasing: AtomicBool,
    pub(super) stopping: AtomicBool,
    /// Health of the delivery thread.
    pub(super) following: TaskHealth,
    /// The next read of the log panics.
    #[cfg(test)]
    pub(super) is_to_panic: AtomicBool,
    /// Running time of earlier processes, and the clock's running time when the service started.
    earlier: Duration,
    started: Duration,
    stop: watch::Sender<bool>,
    follower: std::sync::Mutex<Option<JoinHandle<()>>>,
}

impl Inner {
    /// Total running time of the service over all its processes, on all nodes. Idle timeouts are measured in it, so
    /// that neither an outage nor a change of the machine's clock ends queues.
    pub(super) fn running(&self) -> Duration {
        let own = self.clock.running_time().saturating_sub(self.started);
        self.earlier + own + self.journal.ahead()
    }

    /// Whether other nodes may serve the same queues.
    pub(super) fn is_shared(&self) -> bool {
        self.options.database.is_shared()
    }

    pub(super) fn journal_fails(&self) -> bool {
        self.journal_fails.load(Ordering::Acquire)
    }

    pub(super) fn is_releasing(&self) -> bool {
        self.releasing.load(Ordering::Acquire)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    pub(super) fn stopped(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }
}

impl EventService {
    /// Starts the service on a migrated database. Must be called within a tokio runtime; reads almost
    /// nothing, however many queues there are.
    ///
    /// # Errors
    /// [`EventsFailure`] when a file cannot be opened.
    pub fn start(options: EventOptions, clock: Clock) -> Result<Self, EventsFailure> {
        let log = Log::open(&options.database, options.ring_bytes)?;
        let opened = if options.database.is_shared() {
            Journal::shared(&options.database, &clock)
        } else {
            let newest = log.with_reader(|db| event_delivery::newest_queue(db))?;
            Journal::open(&options.journal, newest)
        };
        let opened = opened.map_err(EventsFailure::Journal)?;
        let inner = Arc::new(Inner {
            log,
            journal: opened.journal,
            table: Table::default(),
            waiting: WaitingPolls::new(),
            ended_credentials: EndedCredentials::default(),
            deadlines: Deadlines::default(),
            statistics: Statistics::new(),
            wake: WakeSignal::default(),
            readers: Semaphore::new(READING_THREADS),
            own_readers: Arc::new(ConcurrencyLimit::new(READING_THREADS / 2, READING_WAIT)),
            tickets: AtomicU64::new(0),
            lost_up_to: opened.lost_up_to,
            newest: AtomicI64::new(0),
            reads_begun: AtomicU64::new(0),
            reads_done: watch::Sender::new(0),
            checked: Checked::default(),
            committed: AtomicBool::new(false),
            journal_fails: AtomicBool::new(false),
            releasing: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            following: TaskHealth::new("following the event log"),
            #[cfg(test)]
            is_to_panic: AtomicBool::new(false),
            earlier: Duration::from_millis(u64::try_from(opened.running_ms).unwrap_or(0)),
            started: clock.running_time(),
            stop: watch::Sender::new(false),
            follower: std::sync::Mutex::default(),
            clock,
            options,
        });
        // Registered now, so that the metric exists before the thread runs.
        let _registered = task_health::restarts("event-log");
        let follower = std::thread::Builder::new()
            .name("event-log".to_owned())
            .spawn({
                let inner = Arc::downgrade(&inner);
                move || delivery::run(&inner)
            })?;
        inner.keep_follower(Some(follower));
        tokio::spawn(heartbeat::run(Arc::clone(&inner)));
        tokio::spawn(maintenance::run(Arc::clone(&inner)));
        Ok(Self { inner })
    }

    /// Notifies the service of a commit to the main database. Cheap, never blocks; calls may be lost
    /// or repeated without harm.
    pub fn on_commit(&self) {
        self.inner.wake.notify();
    }

    /// [`EventService::on_commit`] as a function that keeps nothing of the service alive.
    pub fn commit_listener(&self) -> impl Fn() + Send + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            if let Some(inner) = inner.upgrade() {
                inner.wake.notify();
            }
        }
    }

    /// Whether events are delivered and acknowledgements are written.
    ///
    /// # Errors
    /// The reason, for operators.
    pub fn check(&self) -> Result<(), String> {
        let inner = &self.inner;
        if inner.is_stopping() {
            return Ok(());
        }
        inner.following.check_within(STANDSTILL)?;
        inner.journal.check()
    }

    /// Time since the delivery thread was last active; zero while the service stops.
    #[must_use]
    pub fn idle_time(&self) -> Duration {
        let inner = &self.inner;
        if inner.is_stopping() {
            return Duration::ZERO;
        }
        inner.following.idle_time()
    }

    /// The position after the newest row of the log that was read.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.inner.log.end()
    }

    /// The memory budget that its queues are counted in.
    #[must_use]
    pub fn memory(&self) -> Arc<Memory> {
        Arc::clone(&self.inner.options.memory)
    }

    /// Number of held polls.
    #[must_use]
    pub fn waiting_polls(&self) -> usize {
        self.inner.waiting.count()
    }

    /// Answers every held poll with a heartbeat. Polls that arrive from now on are answered at
    /// once.
    pub async fn release_polls(&self) {
        self.inner.releasing.store(true, Ordering::Release);
        heartbeat::release_all(&self.inner).await;
    }

    /// Releases held polls, writes what is pending and stops.
    pub async fn stop(&self) {
        let inner = &self.inner;
        self.release_polls().await;
        inner.stopping.store(true, Ordering::Release);
        inner.stop.send_replace(true);
        inner.wake.notify();
        let inner = Arc::clone(inner);
        let closing = tokio::task::spawn_blocking(move || {
            inner.journal.note_running(inner.running_ms());
            inner.journal.close();
            inner.join_follower();
        });
        if closing.await.is_err() {
            tracing::error!("the event service did not stop cleanly");
        }
    }

    /// Stops without writing anything that is pending, as a kill would.
    #[cfg(test)]
    pub(super) fn kill(&self) {
        self.inner.stopping.store(true, Ordering::Release);
        self.inner.journal.abandon();
        self.inner.stop.send_replace(true);
        self.inner.wake.notify();
        self.inner.join_follower();
    }
}

impl Inner {
    pub(super) fn running_ms(&self) -> i64 {
        i64::try_from(self.running().as_millis()).unwrap_or(i64::MAX)
    }

    #[cfg(test)]
    pub(super) fn panic_if_requested(&self) {
        assert!(
            !self.is_to_panic.swap(false, Ordering::AcqRel),
            "requested by a test"
        );
    }

    fn keep_follower(&self, follower: Option<JoinHandle<()>>) -> Option<JoinHandle<()>> {
        let slot = self.follower.lock();
        let mut slot = slot.unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::replace(&mut *slot, follower)
    }

    fn join_follower(&self) {
        if let Some(follower) = self.keep_follower(None)
            && follower.join().is_err()
        {
            tracing::error!("the thread that follows the event log stopped unexpectedly");
        }
    }
}
