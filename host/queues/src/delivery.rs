//! Delivery: follows the event log and wakes the polls that new rows concern.
//!
//! One thread reads each new row once. It is notified after commits, and also checks every few
//! milliseconds, because notifications may be lost and other processes write too. A panic ends the
//! thread; it is restarted and then checks every waiting poll.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use spindle_events::QueueNotice;
use spindle_store::Connection;

use super::answer::{Answer, PollOutcome};
use super::cached_row::CachedRow;
use super::inner::Inner;
use super::queue::{Bounds, Contents, Phase, Queue, QueueState};
use super::replay::RowSource;
use super::ring::Missing;
use super::task_health::{attempt, keep_going};

/// The body of the thread: follows the log until the service is stopped or gone.
pub(super) fn run(service: &Weak<Inner>) {
    let is_needed = |reason: &str| match service.upgrade() {
        Some(inner) if !inner.is_stopping() => {
            inner.follower.health.record_failure(reason);
            true
        }
        _ => false,
    };
    keep_going("event-log", is_needed, |restarts| {
        let Some(inner) = service.upgrade() else {
            return Ok(());
        };
        let opened = inner.follower.log.connect();
        let connection = opened.map_err(|error| error.to_string())?;
        if restarts > 0 {
            // The rows read before the panic may not have been offered to all polls.
            for queue in inner.waiting.all() {
                let offered = attempt(|| {
                    offer(&inner, &queue);
                    Ok::<(), String>(())
                });
                if offered.is_err() {
                    tracing::error!(queue = &*queue.id, "a waiting poll cannot be served");
                }
            }
        }
        drop(inner);
        follow(service, &*connection)
    });
}

/// Returns when the service is stopped or gone; an error when another connection is needed.
fn follow(service: &Weak<Inner>, db: &dyn Connection) -> Result<(), String> {
    let mut version = None;
    let mut last_rows = Instant::now();
    loop {
        let Some(inner) = service.upgrade() else {
            return Ok(());
        };
        let pause = inner.options.pause_after(last_rows.elapsed());
        let notified = inner.follower.wake.wait(pause);
        if inner.is_stopping() {
            return Ok(());
        }
        let outcome = inner.follower.read(db, notified, &mut version, |rows| {
            inner.statistics.log_rows.increment(rows.len() as u64);
            // Before the events that were committed with it, or after it, are delivered.
            inner.end_credentials(db, rows);
            deliver(&inner, rows);
            apply_notices(&inner, rows);
        });
        match outcome {
            Ok(has_rows) => {
                inner.follower.health.record_success();
                if has_rows {
                    last_rows = Instant::now();
                }
            }
            Err(error) => {
                inner.follower.health.record_failure(&error.to_string());
                version = None;
                if error.is_temporary() {
                    return Err(error.to_string());
                }
            }
        }
    }
}

/// Offers new rows to the polls that wait for them.
fn deliver(inner: &Arc<Inner>, rows: &[Arc<CachedRow>]) {
    let started = Instant::now();
    let concerned = inner.waiting.concerned(rows);
    for queue in &concerned {
        offer(inner, queue);
    }
    if !concerned.is_empty() {
        inner.statistics.fan_out_seconds.record(started.elapsed());
    }
}

/// The deletion of a queue is known on all nodes within this time.
const NOTICED_WITHIN: Duration = Duration::from_secs(1);

/// Ends queues that have ended on another node, or whose rows were deleted.
fn apply_notices(inner: &Inner, rows: &[Arc<CachedRow>]) {
    let notices = rows.iter().filter_map(|row| row.row().notice());
    for (notice, ids) in notices {
        for id in ids {
            match notice {
                QueueNotice::Deleted => {
                    if let Some(queue) = inner.table.remove(id) {
                        inner.refuse_late(&queue);
                        inner.remove_deleted(&queue);
                    }
                }
                QueueNotice::Ended => {
                    if let Some(queue) = inner.table.get(id) {
                        let mut state = queue.lock();
                        inner.release(&queue, &mut state, PollOutcome::BadQueue);
                        state.phase = Phase::Ended;
                    }
                }
            }
        }
    }
}

/// Answers the waiting poll of a queue, if the queue has events.
pub(super) fn offer(inner: &Inner, queue: &Arc<Queue>) {
    let mut state = queue.lock();
    if state.waiter.is_none() {
        return;
    }
    let offered = inner.offer_from(queue, &mut state, &mut inner.follower.log.ring_source());
    if offered.is_err() {
        // Rare: the rows have already been evicted from memory.
        let from_database =
            inner.offer_from(queue, &mut state, &mut inner.follower.log.any_source());
        if from_database.is_err() {
            tracing::error!(queue = &*queue.id, "a waiting poll cannot be served");
        }
    }
}

impl Inner {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            events: self.options.max_events,
            bytes: self.options.max_bytes,
        }
    }

    fn offer_from(
        &self,
        queue: &Arc<Queue>,
        state: &mut QueueState,
        source: &mut dyn RowSource,
    ) -> Result<(), Missing> {
        let Some(cursor) = state.cursor() else {
            return Ok(());
        };
        if cursor.pending.is_some() {
            return Ok(());
        }
        match cursor.contents(source, self.bounds())? {
            Contents::TooMuch => self.overflow(queue, state),
            Contents::Events(events) if events.is_empty() => {}
            Contents::Events(events) => {
                let answer = Answer::new(Arc::clone(&queue.id), events);
                self.release(queue, state, PollOutcome::Events(answer));
            }
        }
        Ok(())
    }

    /// Refuses a poll that may have come after its queue was deleted on another node.
    fn refuse_late(&self, queue: &Arc<Queue>) {
        let mut state = queue.lock();
        let since = state.waiter.as_ref().map(|waiter| waiter.since);
        if since.is_some_and(|since| since + NOTICED_WITHIN > self.running()) {
            self.release(queue, &mut state, PollOutcome::BadQueue);
        }
    }

    /// Ends the waiting poll, if there is one, with `outcome`.
    pub(super) fn release(&self, queue: &Arc<Queue>, state: &mut QueueState, outcome: PollOutcome) {
        let Some(waiter) = state.waiter.take() else {
            return;
        };
        self.waiting.leave(queue, state.receives_public_channels());
        state.active = self.running();
        if let PollOutcome::Events(answer) = &outcome {
            self.statistics.delivered.increment(answer.len() as u64);
        }
        // The client may have disconnected; its events stay queued until they are acknowledged.
        let _ = waiter.sender.send(outcome);
    }

    /// Ends a queue that is too far behind.
    pub(super) fn overflow(&self, queue: &Arc<Queue>, state: &mut QueueState) {
        tracing::info!(
            queue = &*queue.id,
            user_id = queue.user_id.get(),
            "a queue is too far behind and ends"
        );
        self.statistics.overflown.increment(1);
        self.end(queue, state);
    }

    /// Ends the queue; the collection job removes its row from the main database.
    pub(super) fn end(&self, queue: &Arc<Queue>, state: &mut QueueState) {
        self.release(queue, state, PollOutcome::BadQueue);
        state.phase = Phase::Ended;
        self.journal.end([Arc::clone(&queue.id)]);
    }
}
