//! Background maintenance, in small steps: finding queues, ending idle and overflowing ones, and
//! advancing positions over rows that do not concern a queue.
//!
//! Polls are correct without it, so it does not delay the start.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use spindle_events::Registration;
use spindle_store::event_delivery::{self, QueueHead};
use spindle_store::{Db, DbError};

use super::journal::Position;
use super::offset::Offset;
use super::poll::PollOutcome;
use super::queue::{Cursor, Phase, Queue, State};
use super::service::{EventService, Inner};
use super::shared;
use super::walk::RowSource;
use crate::memory::Purpose;

/// Interval of the maintenance step.
const EVERY: Duration = Duration::from_millis(250);

/// Shortest time between two searches for queues.
const SEARCH_EVERY: Duration = Duration::from_millis(500);

/// How often the running time is written.
const RUNNING_EVERY: Duration = Duration::from_secs(5);

/// Longest time of one counting step, so that polls are hardly delayed.
const COUNTING: Duration = Duration::from_millis(10);

/// Batches of log rows that are counted for one queue before the next queue.
const BATCHES: usize = 4;

/// Queues of one read.
const PAGE: i64 = 1000;

/// Rows by which an idle queue's position must advance before it is written again.
const WORTH_NOTING: i64 = 500;

/// The work for the job that collects queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Ended queues whose rows are to be deleted.
    pub ended: Vec<String>,
    /// No queue needs log rows up to and including this one.
    pub prune_below: i64,
}

/// Runs until the service stops.
pub(super) async fn run(inner: Arc<Inner>) {
    let mut stopped = inner.stopped();
    let mut moved = inner.clock.moved();
    let mut state = Some(Maintenance::new(&inner));
    while let Some(mut upkeep) = state.take() {
        let working = tokio::task::spawn_blocking({
            let inner = Arc::clone(&inner);
            move || {
                upkeep.step(&inner);
                upkeep
            }
        });
        state = working.await.ok();
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            // The clock lives as long as the service.
            _ = moved.changed() => {}
            _ = stopped.changed() => {}
        }
        if *stopped.borrow() {
            return;
        }
    }
    tracing::error!("maintenance of event queues has stopped");
}

struct Maintenance {
    known: bool,
    searched: Instant,
    collected: Duration,
    noted: Duration,
    counting: VecDeque<Arc<Queue>>,
    counted_to: i64,
}

impl Maintenance {
    fn new(inner: &Inner) -> Self {
        Self {
            known: false,
            searched: Instant::now(),
            collected: inner.running(),
            noted: inner.running(),
            counting: VecDeque::new(),
            counted_to: 0,
        }
    }

    fn step(&mut self, inner: &Inner) {
        let due = self.searched.elapsed() >= SEARCH_EVERY;
        if !self.known || due && inner.committed.swap(false, Ordering::AcqRel) {
            self.searched = Instant::now();
            match search(inner, !self.known) {
                Ok(()) => self.known = true,
                Err(error) => tracing::error!(%error, "event queues cannot be listed"),
            }
        }
        let now = inner.running();
        if self.known && now.saturating_sub(self.collected) >= inner.options.collect_every {
            self.collected = now;
            if !inner.is_shared() {
                end_idle(inner, now);
            } else if let Err(error) = shared::end_idle(inner) {
                tracing::error!(%error, "idle event queues cannot be found");
            }
        }
        if now.saturating_sub(self.noted) >= RUNNING_EVERY {
            self.noted = now;
            inner.journal.note_running(inner.running_ms());
            if inner.is_shared() {
                shared::note_held(inner);
            }
        }
        self.count(inner);
        let statistics = &inner.statistics;
        statistics.queues.set(inner.table.len() as f64);
        statistics.waiting.set(inner.waiting.count() as f64);
        statistics.ring_bytes.set(inner.log.bytes() as f64);
    }

    /// Continues counting undelivered events, queue by queue.
    fn count(&mut self, inner: &Inner) {
        let end = inner.log.end();
        if self.counting.is_empty() && end != self.counted_to {
            self.counted_to = end;
            self.counting.extend(inner.table.all());
        }
        let started = Instant::now();
        while started.elapsed() < COUNTING {
            let Some(queue) = self.counting.pop_front() else {
                break;
            };
            if !count_one(inner, &queue) {
                self.counting.push_back(queue);
            }
        }
        inner.statistics.uncounted.set(self.counting.len() as f64);
    }
}

/// Counts one queue a few batches further; returns whether it is done.
fn count_one(inner: &Inner, queue: &Arc<Queue>) -> bool {
    if shared::refresh(inner, queue).is_err() || warm_up(inner, queue) != Ok(()) {
        return true;
    }
    let mut source = inner.log.any_source();
    let Some(counted) = count_some(inner, queue, &mut source) else {
        return true;
    };
    let is_doubtful = source.has_read_database() || counted == Counted::TooMuch;
    if is_doubtful && shared::is_behind(inner, queue) {
        // It is counted again from where another node has taken it.
        return true;
    }
    let mut state = queue.lock();
    match counted {
        Counted::TooMuch => {
            inner.overflow(queue, &mut state);
            true
        }
        Counted::Events { at_end, advanced } => {
            if advanced {
                inner.note(queue, &state);
            }
            at_end
        }
    }
}

/// What counting a queue has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    TooMuch,
    Events {
        at_end: bool,
        /// The position has moved over many rows that do not concern the queue.
        advanced: bool,
    },
}

/// None where there is nothing to count, or it cannot be counted.
fn count_some(inner: &Inner, queue: &Queue, source: &mut dyn RowSource) -> Option<Counted> {
    let mut state = queue.lock();
    if state.waiter.is_some() {
        return None;
    }
    let cursor = state.cursor()?;
    let before = cursor.acked.next_seq;
    match cursor.count_ahead(source, inner.bounds(), BATCHES) {
        Ok(Some(at_end)) => Some(Counted::Events {
            at_end,
            advanced: cursor.acked.next_seq.saturating_sub(before) >= WORTH_NOTING,
        }),
        Ok(None) => Some(Counted::TooMuch),
        Err(_) => None,
    }
}

/// Adds a queue of the main database to the table. `position`: its stored position, if known.
pub(super) fn admit(inner: &Inner, head: &QueueHead, position: Option<Position>) -> Arc<Queue> {
    let seconds = u64::try_from(head.idle_timeout_secs).unwrap_or(0);
    let active = position.map_or_else(
        || inner.running(),
        |position| Duration::from_millis(u64::try_from(position.active_ms).unwrap_or(0)),
    );
    inner.table.insert(Queue {
        id: head.id.as_str().into(),
        number: head.number,
        user_id: head.user_id,
        base_seq: head.base_seq,
        idle_timeout: Duration::from_secs(seconds),
        state: Mutex::new(State {
            phase: Phase::Cold,
            active,
            timed: false,
            waiter: None,
        }),
    })
}

/// Why a queue could not be loaded into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WarmUpError {
    /// It cannot be read; the error has been logged.
    Unreadable,
    /// The memory budget has no room for it.
    NoRoom,
}

/// Memory of a queue in bytes: without its registration, and for each stored byte of that.
const QUEUE_BYTES: u64 = 512;
const BYTES_PER_STORED: u64 = 2;

/// Loads the stored state of a queue, unless it is loaded. Blocks.
pub(super) fn warm_up(inner: &Inner, queue: &Arc<Queue>) -> Result<(), WarmUpError> {
    let mut state = queue.lock();
    if !matches!(state.phase, Phase::Cold) {
        return Ok(());
    }
    match read_cursor(inner, queue) {
        Ok(StoredQueue::Cursor(cursor)) => {
            state.phase = Phase::Open(cursor);
            Ok(())
        }
        Ok(StoredQueue::Over) => {
            inner.end(queue, &mut state);
            Ok(())
        }
        Ok(StoredQueue::Foreign) => {
            inner.release(queue, &mut state, PollOutcome::BadQueue);
            state.phase = Phase::Ended;
            Ok(())
        }
        Ok(StoredQueue::NoRoom) => Err(WarmUpError::NoRoom),
        Err(error) => {
            tracing::error!(queue = &*queue.id, %error, "a queue cannot be read");
            Err(WarmUpError::Unreadable)
        }
    }
}

/// The stored state of a queue.
enum StoredQueue {
    Cursor(Box<Cursor>),
    /// The queue has ended.
    Over,
    /// A program with other rules serves it, or its client registers again.
    Foreign,
    /// There is no memory for it.
    NoRoom,
}

fn read_cursor(inner: &Inner, queue: &Queue) -> Result<StoredQueue, anyhow::Error> {
    if queue.number <= inner.lost_up_to {
        return Ok(StoredQueue::Over);
    }
    let find = |db: &dyn Db| event_delivery::find_queue(db, &queue.id);
    let Some(found) = inner.log.with_reader(find)? else {
        return Ok(StoredQueue::Over);
    };
    if found.accept_version != spindle_events::ACCEPT_VERSION {
        return Ok(match inner.is_shared() {
            true => StoredQueue::Foreign,
            false => StoredQueue::Over,
        });
    }
    let bytes = QUEUE_BYTES + BYTES_PER_STORED * found.registration.len() as u64;
    let Some(held) = inner.options.memory.try_hold(Purpose::Queues, bytes) else {
        return Ok(StoredQueue::NoRoom);
    };
    let stored = inner.stored(&queue.id)?;
    let registration: Registration = serde_json::from_str(&found.registration)?;
    let acked = stored.position.map_or_else(
        || Offset::beginning(queue.base_seq),
        |position| Offset {
            id: position.acked_id,
            next_seq: position.next_seq,
            skip: position.skip,
            bytes: 0,
        },
    );
    // A position beyond the end of the log stems from before the database was restored.
    if stored.ended || stored.position.is_some() && !inner.reaches(acked.next_seq)? {
        return Ok(StoredQueue::Over);
    }
    let passed_over = inner
        .log
        .positions_of(queue.base_seq, &found.base_unordered)?;
    let cursor = Cursor::new(registration, passed_over, acked, stored.heartbeats, held);
    Ok(StoredQueue::Cursor(Box::new(cursor)))
}

/// Synchronizes the table with the main database.
fn search(inner: &Inner, first: bool) -> Result<(), anyhow::Error> {
    let (mut positions, ended) = if first {
        (inner.journal.positions()?, inner.journal.ended()?)
    } else {
        (HashMap::new(), Vec::new())
    };
    loop {
        let newest = inner.newest.load(Ordering::Acquire);
        let page = inner
            .log
            .with_reader(|db| event_delivery::queues_after(db, newest, PAGE))?;
        for head in &page {
            admit(inner, head, positions.remove(&head.id));
            inner.newest.store(head.number, Ordering::Release);
        }
        if (page.len() as i64) < PAGE {
            break;
        }
    }
    for id in &ended {
        match inner.table.get(id) {
            Some(queue) => queue.lock().phase = Phase::Ended,
            None => inner.journal.forget([Arc::from(id.as_str())]),
        }
    }
    let gone = positions
        .into_keys()
        .filter(|id| inner.table.get(id).is_none());
    inner.journal.forget(gone.map(Arc::from));
    let counted = inner
        .log
        .with_reader(|db| event_delivery::queue_fingerprint(db))?;
    if counted != inner.table.fingerprint() {
        compare(inner)?;
    }
    Ok(())
}

/// Compares every queue with the main database, since some have been deleted there.
fn compare(inner: &Inner) -> Result<(), DbError> {
    let mut existing = HashSet::new();
    let mut number = i64::MIN;
    loop {
        let page = inner
            .log
            .with_reader(|db| event_delivery::queues_after(db, number, PAGE))?;
        for head in &page {
            number = head.number;
            admit(inner, head, None);
            existing.insert(head.id.clone());
        }
        if (page.len() as i64) < PAGE {
            break;
        }
    }
    for queue in inner.table.all() {
        if existing.contains(&*queue.id) {
            continue;
        }
        // A queue may have been created and polled since the list was read.
        let found = inner
            .log
            .with_reader(|db| event_delivery::find_queue(db, &queue.id))?;
        if found.is_none() && inner.table.remove(&queue.id).is_some() {
            inner.remove_deleted(&queue);
        }
    }
    Ok(())
}

/// Ends queues that have exceeded their idle timeout.
fn end_idle(inner: &Inner, now: Duration) {
    for queue in inner.table.all() {
        let mut state = queue.lock();
        let idle = now.saturating_sub(state.active);
        if !state.is_ended() && state.waiter.is_none() && idle >= queue.idle_timeout {
            inner.statistics.expired.increment(1);
            inner.end(&queue, &mut state);
        }
    }
}

impl EventService {
    /// The rows that the collection job must delete now; `None` until the service has
    /// found every queue. Blocks.
    ///
    /// # Errors
    /// When the positions of queues cannot be read.
    pub fn collection(&self) -> Result<Option<Collection>, anyhow::Error> {
        let inner = &self.inner;
        if inner.is_shared() {
            return Ok(Some(shared::collection(inner)?));
        }
        let counted = inner
            .log
            .with_reader(|db| event_delivery::queue_fingerprint(db))?;
        if counted != inner.table.fingerprint() {
            return Ok(None);
        }
        let end = inner.log.end();
        // Only durably acknowledged rows may be deleted.
        let positions = inner.journal.positions()?;
        let mut ended = Vec::new();
        let mut keep_from = end;
        for queue in inner.table.all() {
            if queue.lock().is_ended() {
                ended.push(queue.id.to_string());
            } else {
                let position = positions.get(&*queue.id);
                let next = position.map_or(queue.base_seq + 1, |position| position.next_seq);
                keep_from = keep_from.min(next);
            }
        }
        ended.sort_unstable();
        Ok(Some(Collection {
            ended,
            prune_below: keep_from.saturating_sub(1),
        }))
    }
}
