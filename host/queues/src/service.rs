//! Starting and stopping the service.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use spindle_store::DbError;
use spindle_store::event_delivery;

use super::inner::Inner;
use super::journal::Journal;
use super::log::Log;
use super::options::EventOptions;
use super::{delivery, heartbeat, maintenance, task_health};
use spindle_admission::memory::Memory;
use spindle_system::clock::Clock;

/// The delivery thread reports activity many times a second; without any for this long, the service
/// is unhealthy.
const STANDSTILL: Duration = Duration::from_secs(10);

/// A client whose poll was answered polls again within this time.
const BETWEEN_POLLS: Duration = Duration::from_secs(30);

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

impl EventService {
    /// Starts the service on a migrated database. Must be called within a tokio runtime; reads almost nothing,
    /// regardless of the number of queues.
    pub fn start(options: EventOptions, clock: Clock) -> Result<Self, EventsFailure> {
        let log = Log::open(&options.database, options.ring_bytes)?;
        let opened = if options.database.is_shared() {
            Journal::shared(&options.database, &clock)
        } else {
            let newest = log.with_reader(|db| event_delivery::newest_queue(db))?;
            Journal::open(&options.journal, newest)
        };
        let opened = opened.map_err(EventsFailure::Journal)?;
        let inner = Arc::new(Inner::new(options, clock, log, opened));
        // Registered now, so that the metric exists before the thread runs.
        let _registered = task_health::restarts("event-log");
        let follower = std::thread::Builder::new()
            .name("event-log".to_owned())
            .spawn({
                let inner = Arc::downgrade(&inner);
                move || delivery::run(&inner)
            })?;
        inner.follower.keep(follower);
        tokio::spawn(heartbeat::run(Arc::clone(&inner)));
        tokio::spawn(maintenance::run(Arc::clone(&inner)));
        Ok(Self { inner })
    }

    /// Notifies the service of a commit to the main database. Cheap, never blocks; calls may be lost
    /// or repeated without harm.
    pub fn on_commit(&self) {
        self.inner.follower.wake.notify();
    }

    /// [`EventService::on_commit`] as a function that keeps nothing of the service alive.
    pub fn commit_listener(&self) -> impl Fn() + Send + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            if let Some(inner) = inner.upgrade() {
                inner.follower.wake.notify();
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
        inner.follower.health.check_within(STANDSTILL)?;
        inner.journal.check()
    }

    /// Time since the delivery thread was last active; zero while the service stops.
    #[must_use]
    pub fn idle_time(&self) -> Duration {
        let inner = &self.inner;
        if inner.is_stopping() {
            return Duration::ZERO;
        }
        inner.follower.health.idle_time()
    }

    /// The position after the newest row of the log that was read.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.inner.follower.log.end()
    }

    /// The memory budget that its queues are counted in.
    #[must_use]
    pub fn memory(&self) -> Arc<Memory> {
        Arc::clone(&self.inner.options.memory)
    }

    /// Whether a client polls a queue, or did so a moment ago. Where other nodes may serve it, and before the service has
    /// found a new queue, the answer is yes.
    #[must_use]
    pub fn is_polled(&self, queue_id: &str) -> bool {
        let inner = &self.inner;
        let found = inner.table.get(queue_id);
        let Some(queue) = found.filter(|_| !inner.is_shared()) else {
            return true;
        };
        let state = queue.lock();
        let idle = inner.running().saturating_sub(state.active);
        !state.is_ended() && (state.waiter.is_some() || idle < BETWEEN_POLLS)
    }

    /// Number of held polls.
    #[must_use]
    pub fn waiting_polls(&self) -> usize {
        self.inner.waiting.count()
    }

    /// Answers every held poll with a heartbeat. Later polls are answered immediately.
    pub async fn release_polls(&self) {
        self.inner.releasing.store(true, Ordering::Release);
        heartbeat::release_all(&self.inner).await;
    }

    /// Releases held polls, writes pending records and stops.
    pub async fn stop(&self) {
        let inner = &self.inner;
        self.release_polls().await;
        inner.stopping.store(true, Ordering::Release);
        inner.stop.send_replace(true);
        inner.follower.wake.notify();
        let inner = Arc::clone(inner);
        let closing = tokio::task::spawn_blocking(move || {
            inner.journal.note_running(inner.running_ms());
            inner.journal.close();
            inner.follower.join();
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
        self.inner.follower.wake.notify();
        self.inner.follower.join();
    }
}
