//! Heartbeats: an event of type `heartbeat` for every poll that has waited long enough.
//!
//! The id of a heartbeat is made durable before the heartbeat is sent. Until then the queue is
//! `pending` and nothing is sent to it, since later ids depend on this one. While the journal cannot
//! be written, as on a full disk, polls that are due are answered without any event.
//!
//! On a database that several nodes share, a heartbeat is a row of the log and reaches its queue as every other event,
//! so no queue is `pending` there.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use super::answer::{Answer, PollOutcome};
use super::delivery::offer;
use super::inner::Inner;
use super::journal;
use super::queue::{Contents, Queue, QueueState};

/// How often due polls are collected; they share a write.
const EVERY: Duration = Duration::from_millis(100);

/// Pause before a failed write is retried.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

/// A heartbeat in the log that has not come back after this time is followed by another one.
const COMES_BACK: Duration = Duration::from_secs(5);

/// A heartbeat that is being made durable.
struct Begun {
    queue: Arc<Queue>,
    id: i64,
}

/// Runs until the service stops.
pub(super) async fn run(inner: Arc<Inner>) {
    let mut stopped = inner.stopped();
    let mut moved = inner.clock.moved();
    let mut begun = Vec::new();
    loop {
        let pause = if begun.is_empty() {
            EVERY
        } else {
            AFTER_FAILURE
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            // The clock lives as long as the service.
            _ = moved.changed() => {}
            _ = stopped.changed() => return,
        }
        if *stopped.borrow() {
            return;
        }
        // Retry what could not be written before.
        begun = settle(&inner, begun).await;
        let due = inner.deadlines.due(inner.running());
        let due = due.iter().filter_map(Weak::upgrade);
        let new = due
            .filter_map(|queue| begin(&inner, queue, false))
            .collect();
        begun.extend(settle(&inner, new).await);
    }
}

/// Answers every held poll: with a heartbeat, or without any event when the journal cannot be
/// written.
pub(super) async fn release_all(inner: &Arc<Inner>) {
    let mut begun = Vec::new();
    for queue in inner.waiting.all() {
        begun.extend(begin(inner, queue, true));
    }
    settle(inner, begun).await;
    if inner.is_shared() {
        inner.follower.catch_up().await;
        for queue in inner.waiting.all() {
            release_without_events(inner, &queue, &mut queue.lock());
        }
    }
}

/// Assigns an id to the waiting poll's heartbeat, if it is due or `now` is set.
fn begin(inner: &Arc<Inner>, queue: Arc<Queue>, now: bool) -> Option<Begun> {
    let mut state = queue.lock();
    if !now {
        state.timed = false;
    }
    let deadline = state.waiter.as_ref()?.deadline;
    if !now && deadline > inner.running() {
        state.timed = true;
        inner.deadlines.add(deadline, Arc::downgrade(&queue));
        return None;
    }
    let bounds = inner.bounds();
    let cursor = state.cursor()?;
    if cursor.pending.is_some() {
        if inner.journal_fails() {
            release_without_events(inner, &queue, &mut state);
        } else if !now {
            recheck_soon(inner, &queue, &mut state);
        }
        return None;
    }
    let source = &mut inner.follower.log.ring_source();
    match cursor.contents(source, bounds) {
        Ok(Contents::Events(events)) if events.is_empty() && inner.is_shared() => {
            let again = inner.running() + COMES_BACK;
            if let Some(waiter) = &mut state.waiter {
                waiter.deadline = again;
            }
            if !state.timed {
                state.timed = true;
                inner.deadlines.add(again, Arc::downgrade(&queue));
            }
            drop(state);
            Some(Begun { queue, id: 0 })
        }
        Ok(Contents::Events(events)) if events.is_empty() => {
            let id = cursor.begin_heartbeat();
            drop(state);
            Some(Begun { queue, id })
        }
        Ok(Contents::Events(events)) => {
            let answer = Answer::new(Arc::clone(&queue.id), events);
            inner.release(&queue, &mut state, PollOutcome::Events(answer));
            None
        }
        Ok(Contents::TooMuch) => {
            inner.overflow(&queue, &mut state);
            None
        }
        Err(_) => {
            // The delivery thread is reading its rows.
            recheck_soon(inner, &queue, &mut state);
            None
        }
    }
}

fn recheck_soon(inner: &Inner, queue: &Arc<Queue>, state: &mut QueueState) {
    state.timed = true;
    let soon = inner.running() + AFTER_FAILURE;
    inner.deadlines.add(soon, Arc::downgrade(queue));
}

fn release_without_events(inner: &Inner, queue: &Arc<Queue>, state: &mut QueueState) {
    let answer = Answer::new(Arc::clone(&queue.id), Vec::new());
    inner.release(queue, state, PollOutcome::Events(answer));
}

/// Makes heartbeats durable, then sends them. Returns the heartbeats that could not be written; their polls are
/// answered without them, and the write must be retried. Their ids cannot be released: a write that reports an error
/// may have taken effect.
async fn settle(inner: &Arc<Inner>, begun: Vec<Begun>) -> Vec<Begun> {
    if begun.is_empty() {
        return begun;
    }
    let batch = begun
        .iter()
        .map(|begun| journal::Heartbeat {
            queue_id: Arc::clone(&begun.queue.id),
            user_id: begun.queue.user_id,
            id: begun.id,
        })
        .collect();
    // An error means that the journal is closed, because the service is stopping.
    let durable = inner.journal.heartbeats(batch).await.unwrap_or(false);
    inner.journal_fails.store(!durable, Ordering::Release);
    if inner.is_shared() {
        settle_in_log(inner, &begun, durable);
        return Vec::new();
    }
    if !durable {
        for Begun { queue, .. } in &begun {
            let mut state = queue.lock();
            let is_due = |deadline| deadline <= inner.running() || inner.is_releasing();
            if state
                .waiter
                .as_ref()
                .is_some_and(|waiter| is_due(waiter.deadline))
            {
                release_without_events(inner, queue, &mut state);
            }
        }
        return begun;
    }
    inner.statistics.heartbeats.increment(begun.len() as u64);
    for Begun { queue, .. } in begun {
        if let Some(cursor) = queue.lock().cursor() {
            cursor.settle_heartbeat();
        }
        offer(inner, &queue);
    }
    Vec::new()
}

/// What follows the write of heartbeats to the log. One whose outcome is unknown may still come.
fn settle_in_log(inner: &Inner, begun: &[Begun], durable: bool) {
    if durable {
        inner.statistics.heartbeats.increment(begun.len() as u64);
        inner.follower.wake.notify();
        return;
    }
    for Begun { queue, .. } in begun {
        release_without_events(inner, queue, &mut queue.lock());
    }
}
