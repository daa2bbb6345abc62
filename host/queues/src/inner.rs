//! The state of the queues that the parts of the service share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};

use super::deadlines::Deadlines;
use super::follower::Follower;
use super::journal::{Journal, Opened};
use super::log::Log;
use super::options::EventOptions;
use super::statistics::Statistics;
use super::table::Table;
use super::waiting_polls::{EndedCredentials, WaitingPolls};
use spindle_admission::concurrency::ConcurrencyLimit;
use spindle_system::clock::Clock;

/// Most threads that read the database for polls; half of them for one account, which may poll hundreds of queues.
pub const READING_THREADS: usize = 4;

/// How long a poll waits while its account has its part of them.
const READING_WAIT: Duration = Duration::from_secs(10);

/// The state shared by the parts of the service.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) options: EventOptions,
    pub(super) clock: Clock,
    pub(super) follower: Follower,
    pub(super) journal: Journal,
    pub(super) table: Table,
    pub(super) waiting: WaitingPolls,
    pub(super) ended_credentials: EndedCredentials,
    pub(super) deadlines: Deadlines,
    pub(super) statistics: Statistics,
    pub(super) readers: Semaphore,
    /// Those of one account.
    pub(super) own_readers: Arc<ConcurrencyLimit>,
    /// Queues up to this number are unknown to the journal and have ended.
    pub(super) lost_up_to: i64,
    /// When the last attempt to write to the database began, and whether it succeeded.
    pub(super) checked: tokio::sync::Mutex<Option<(Instant, bool)>>,
    /// The last heartbeats could not be written.
    pub(super) journal_fails: AtomicBool,
    /// Polls no longer wait.
    pub(super) releasing: AtomicBool,
    pub(super) stopping: AtomicBool,
    /// Running time of earlier processes, and the clock's running time when the service started.
    earlier: Duration,
    started: Duration,
    pub(super) stop: watch::Sender<bool>,
}

impl Inner {
    pub(super) fn new(options: EventOptions, clock: Clock, log: Log, opened: Opened) -> Self {
        Self {
            follower: Follower::new(log),
            journal: opened.journal,
            table: Table::default(),
            waiting: WaitingPolls::new(),
            ended_credentials: EndedCredentials::default(),
            deadlines: Deadlines::default(),
            statistics: Statistics::new(),
            readers: Semaphore::new(READING_THREADS),
            own_readers: Arc::new(ConcurrencyLimit::new(READING_THREADS / 2, READING_WAIT)),
            lost_up_to: opened.lost_up_to,
            checked: tokio::sync::Mutex::default(),
            journal_fails: AtomicBool::new(false),
            releasing: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            earlier: Duration::from_millis(u64::try_from(opened.running_ms).unwrap_or(0)),
            started: clock.running_time(),
            stop: watch::Sender::new(false),
            clock,
            options,
        }
    }

    /// Total running time of the service over all its processes, on all nodes. Idle timeouts are measured in it, so
    /// that neither an outage nor a change of the machine's clock ends queues.
    pub(super) fn running(&self) -> Duration {
        let own = self.clock.running_time().saturating_sub(self.started);
        self.earlier + own + self.journal.ahead()
    }

    pub(super) fn running_ms(&self) -> i64 {
        i64::try_from(self.running().as_millis()).unwrap_or(i64::MAX)
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
