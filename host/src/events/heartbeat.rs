//! Heartbeats: an event of its own kind for every poll that has waited long enough.
//!
//! An id is made durable before the heartbeat is sent. Meanwhile the queue is `pending` and
//! nothing is sent to it, since later ids count on this one.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::answer::Answer;
use super::delivery::offer;
use super::poll::PollOutcome;
use super::queue::{Contents, Queue};
use super::service::Inner;

/// How often due polls are looked for; those that fall together share a write.
const EVERY: Duration = Duration::from_millis(100);

/// Pause before a failed write is tried again.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

/// A heartbeat that is being made durable.
struct Begun {
    queue: Arc<Queue>,
    id: i64,
}

/// Runs until the service stops.
pub(super) async fn run(inner: Arc<Inner>) {
    let mut stopped = inner.stopped();
    let mut moved = inner.clock.moved();
    loop {
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            // The clock lives as long as the service.
            _ = moved.changed() => {}
            _ = stopped.changed() => return,
        }
        if *stopped.borrow() {
            return;
        }
        let due = inner.deadlines.due(inner.running());
        if !due.is_empty() {
            beat(&inner, &due).await;
        }
    }
}

/// Answers every held poll with a heartbeat.
pub(super) async fn release_all(inner: &Arc<Inner>) {
    let mut begun = Vec::new();
    for queue in inner.waiting.all() {
        begun.extend(begin(inner, queue, true));
    }
    settle(inner, begun).await;
}

async fn beat(inner: &Arc<Inner>, due: &[Weak<Queue>]) {
    let mut begun = Vec::new();
    for queue in due.iter().filter_map(Weak::upgrade) {
        begun.extend(begin(inner, queue, false));
    }
    settle(inner, begun).await;
}

/// Gives the waiting poll's heartbeat an id, if its time has come or `now` says so.
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
    let cursor = state.cursor().filter(|cursor| cursor.pending.is_none())?;
    let source = &mut inner.log.ring_source();
    match cursor.contents(source, bounds) {
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
            // Its rows are being read by the thread that follows the log; look again soon.
            state.timed = true;
            let soon = inner.running() + AFTER_FAILURE;
            inner.deadlines.add(soon, Arc::downgrade(&queue));
            None
        }
    }
}

/// Makes heartbeats durable, however long it takes, then sends them. Giving an id up is no
/// way out: a write that reports an error may have happened.
async fn settle(inner: &Arc<Inner>, begun: Vec<Begun>) {
    if begun.is_empty() {
        return;
    }
    loop {
        let batch = begun
            .iter()
            .map(|begun| (Arc::clone(&begun.queue.id), begun.id))
            .collect();
        match inner.journal.heartbeats(batch).await {
            Ok(true) => break,
            Ok(false) => tokio::time::sleep(AFTER_FAILURE).await,
            // The journal is closed: the service is being stopped.
            Err(_) => return,
        }
    }
    inner.statistics.heartbeats.increment(begun.len() as u64);
    for Begun { queue, .. } in begun {
        if let Some(cursor) = queue.lock().cursor() {
            cursor.settle_heartbeat();
        }
        offer(inner, &queue);
    }
}
