//! Background maintenance, in small steps: finding queues, ending idle and overflowing ones, and
//! advancing positions over rows that do not concern a queue.
//!
//! Owns when each of these is done. Polls are correct without it, so it does not delay the start.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::inner::Inner;
use super::known_queues::search;
use super::loading::warm_up;
use super::queue::Queue;
use super::replay::RowSource;
use super::shared;

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

/// Rows by which an idle queue's position must advance before it is written again.
const WORTH_NOTING: i64 = 500;

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
        if !self.known || due && inner.follower.committed.swap(false, Ordering::AcqRel) {
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
        statistics.ring_bytes.set(inner.follower.log.bytes() as f64);
    }

    /// Continues counting undelivered events, queue by queue.
    fn count(&mut self, inner: &Inner) {
        let end = inner.follower.log.end();
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
    let mut source = inner.follower.log.any_source();
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
