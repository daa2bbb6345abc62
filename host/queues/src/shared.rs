//! Queues on a database that several nodes share (docs/adr/0055-queues-on-any-node.md).
//!
//! Every node may serve every queue, since ids follow from the log alone. Owns what a node must look up because another
//! node may have served a queue since: its position, whether it has ended, and how long it has been idle. Nothing here
//! is called when this process alone serves the queues.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spindle_store::{DbError, event_delivery, queue_positions};

use super::inner::Inner;
use super::journal::Stored;
use super::queue::{Phase, Queue};

/// How long a queue may be idle beyond its timeout: polls that are held are noted every few seconds.
const SPARE: Duration = Duration::from_secs(10);

/// Queues with a shorter timeout are noted while a poll of theirs is held.
const SHORT_TIMEOUT: Duration = Duration::from_secs(120);

/// Most queues that are ended or collected in one statement.
pub(super) const AT_ONCE: i64 = 1000;

/// Longest wait for the rows that another node has read already.
const CATCHING_UP: Duration = Duration::from_secs(2);

impl Inner {
    /// Whether this node's database is the one that others write to: it takes a write. A primary server that is cut off
    /// from its standbys still answers reads. Callers that ask during an attempt share the next one.
    pub(super) async fn has_current_database(self: &Arc<Self>) -> bool {
        let asked = Instant::now();
        let mut checked = self.checked.lock().await;
        if let Some((_, outcome)) = checked.filter(|(begun, _)| *begun >= asked) {
            return outcome;
        }
        let begun = Instant::now();
        let inner = Arc::clone(self);
        let writing = tokio::task::spawn_blocking(move || inner.follower.log.takes_writes());
        let outcome = writing.await.unwrap_or(false);
        *checked = Some((begun, outcome));
        outcome
    }

    /// Whether another node may have served the queue since this one did: the client acknowledges what this node
    /// has not sent.
    pub(super) fn has_moved(&self, queue_id: &str, last_event_id: i64) -> bool {
        if !self.is_shared() {
            return false;
        }
        let Some(queue) = self.table.get(queue_id) else {
            return true;
        };
        let mut state = queue.lock();
        let cursor = state.cursor();
        !cursor.is_some_and(|cursor| cursor.has_sent(last_event_id))
    }

    /// Everything stored of a queue. Blocks.
    pub(super) fn stored(&self, queue_id: &str) -> Result<Stored, DbError> {
        if !self.is_shared() {
            return Ok(self.journal.load(queue_id)?);
        }
        let found = self
            .follower
            .log
            .with_reader(|db| queue_positions::find(db, queue_id))?;
        // A queue without a position was deleted.
        let gone = Stored {
            ended: true,
            ..Stored::default()
        };
        Ok(found.map_or(gone, Stored::from))
    }

    /// Waits until the log was read up to `next_seq`, which another node has stored; false when it does not reach that
    /// far. Blocks.
    pub(super) fn reaches(&self, next_seq: i64) -> Result<bool, DbError> {
        if next_seq <= self.follower.log.end() {
            return Ok(true);
        }
        let last = self
            .follower
            .log
            .with_reader(|db| event_delivery::last_seq(db))?;
        if !self.is_shared() || next_seq > last.saturating_add(1) {
            return Ok(false);
        }
        let until = Instant::now() + CATCHING_UP;
        while next_seq > self.follower.log.end() {
            if Instant::now() > until {
                return Err(DbError::TryAgain("the event log is read slowly".to_owned()));
            }
            self.follower.wake.notify();
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(true)
    }
}

/// Forgets the cursor of an open queue that another node has taken further, if its rows would have to be read from
/// the database: what all clients have acknowledged is deleted there. Blocks.
pub(super) fn refresh(inner: &Inner, queue: &Queue) -> Result<(), DbError> {
    if !inner.is_shared() {
        return Ok(());
    }
    let from = match &queue.lock().phase {
        Phase::Open(cursor) => cursor.acked.next_seq,
        Phase::Cold | Phase::Ended => return Ok(()),
    };
    if !inner.follower.log.holds(from) {
        forget_if_behind(inner, queue)?;
    }
    Ok(())
}

/// Whether another node had taken the queue further before this one read rows of it; some may have been missing.
/// The queue is then read again at its next poll. Blocks.
pub(super) fn is_behind(inner: &Inner, queue: &Queue) -> bool {
    inner.is_shared()
        && forget_if_behind(inner, queue).unwrap_or_else(|error| {
            tracing::error!(queue = &*queue.id, %error, "the position of a queue cannot be read");
            true
        })
}

fn forget_if_behind(inner: &Inner, queue: &Queue) -> Result<bool, DbError> {
    let stored = inner.stored(&queue.id)?;
    let mut state = queue.lock();
    let Some(cursor) = state.cursor() else {
        return Ok(false);
    };
    let is_behind = stored
        .position
        .is_some_and(|position| position.acked_id > cursor.acked.id);
    if is_behind && state.waiter.is_none() {
        state.phase = Phase::Cold;
    }
    Ok(is_behind)
}

/// Ends queues that no node was asked for in time, and notes the ones whose polls are held here. Blocks.
pub(super) fn end_idle(inner: &Inner) -> Result<(), DbError> {
    let running = inner.running_ms();
    let spare = i64::try_from(SPARE.as_millis()).unwrap_or(i64::MAX);
    let idle = inner
        .follower
        .log
        .with_reader(|db| queue_positions::idle(db, running, spare, AT_ONCE))?;
    let is_held = |id: &str| {
        let queue = inner.table.get(id);
        queue.is_some_and(|queue| queue.lock().waiter.is_some())
    };
    let idle: Vec<Arc<str>> = idle
        .iter()
        .filter(|id| !is_held(id))
        .map(|id| id.as_str().into())
        .collect();
    inner.statistics.expired.increment(idle.len() as u64);
    if !idle.is_empty() {
        inner.journal.end(idle);
    }
    Ok(())
}

/// Notes that queues with a short timeout are in use, as long as their polls are held.
pub(super) fn note_held(inner: &Inner) {
    let held = inner.waiting.all();
    for queue in held
        .iter()
        .filter(|queue| queue.idle_timeout < SHORT_TIMEOUT)
    {
        let mut state = queue.lock();
        state.active = inner.running();
        inner.note(queue, &state);
    }
}
