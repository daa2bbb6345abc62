//! One queue in memory: a cursor, the ids of its heartbeats and at most one waiting poll.
//!
//! No events are stored here. A queue that has not been polled since the start is `Cold`: its stored
//! state is loaded at its first poll, so that a start reads almost nothing.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use spindle_domain::UserId;
use spindle_events::Registration;
use tokio::sync::oneshot;

use super::answer::PollOutcome;
use super::journal::Position;
use super::offset::Offset;
use super::replay::{Replayable, Replayed, RowSource, replay};
use super::ring::Missing;
use spindle_admission::memory::Held;

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) id: Arc<str>,
    pub(super) number: i64,
    pub(super) user_id: UserId,
    /// The queue contains events after this log row.
    pub(super) base_seq: i64,
    pub(super) idle_timeout: Duration,
    pub(super) state: Mutex<QueueState>,
}

#[derive(Debug)]
pub(super) struct QueueState {
    pub(super) phase: Phase,
    /// Running time of the service at the last poll.
    pub(super) active: Duration,
    /// Whether the queue has an entry in the heap of deadlines.
    pub(super) timed: bool,
    pub(super) waiter: Option<Waiter>,
}

#[derive(Debug)]
pub(super) enum Phase {
    Cold,
    Open(Box<Cursor>),
    Ended,
}

/// The hash of a key or of the token of a session.
pub type Credential = Arc<[u8]>;

/// The waiting poll of a queue.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) sender: oneshot::Sender<PollOutcome>,
    /// Running time at which it began to wait.
    pub(super) since: Duration,
    /// Running time at which it is answered with a heartbeat.
    pub(super) deadline: Duration,
    /// Identifies the poll among those of the queue.
    pub(super) ticket: u64,
    /// The credentials of the waiting poll.
    pub(super) credential: Option<Credential>,
}

/// The client's progress in the queue.
#[derive(Debug)]
pub(super) struct Cursor {
    _held: Held,
    pub(super) registration: Arc<Registration>,
    /// Positions of rows that are no part of the queue since its snapshot holds them, ascending.
    passed_over: Vec<i64>,
    /// Everything before this offset is acknowledged.
    pub(super) acked: Offset,
    /// The end of the last answer: the offset that clients usually acknowledge next.
    delivered: Offset,
    /// The furthest offset to which undelivered events were counted for the bounds.
    pub(super) ahead: Offset,
    /// Ids of unacknowledged heartbeats, ascending, all durable.
    heartbeats: Vec<i64>,
    /// The id of a heartbeat that is being made durable. Until then nothing is sent, since later
    /// ids depend on it.
    pub(super) pending: Option<i64>,
}

/// Limits on undelivered events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) events: u64,
    pub(super) bytes: u64,
}

/// The unacknowledged events of a queue.
pub(super) enum Contents {
    Events(Vec<(i64, Bytes)>),
    /// More than the limits allow.
    TooMuch,
}

/// The result of an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acknowledged {
    /// Everything up to the id is dropped.
    Accepted,
    /// The id was dropped before, by a later acknowledgement.
    Pruned,
    /// The id was never one of this queue.
    Unknown,
}

impl Queue {
    pub(super) fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    pub(super) fn cursor(&mut self) -> Option<&mut Cursor> {
        match &mut self.phase {
            Phase::Open(cursor) => Some(cursor),
            Phase::Cold | Phase::Ended => None,
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// The position to record in the journal.
    pub(super) fn position(&self) -> Option<Position> {
        let Phase::Open(cursor) = &self.phase else {
            return None;
        };
        Some(Position {
            acked_id: cursor.acked.id,
            next_seq: cursor.acked.next_seq,
            skip: cursor.acked.skip,
            active_ms: i64::try_from(self.active.as_millis()).unwrap_or(i64::MAX),
        })
    }
}

impl Cursor {
    /// `held`: its reservation in the memory budget.
    pub(super) fn new(
        registration: Registration,
        passed_over: Vec<i64>,
        acked: Offset,
        heartbeats: Vec<i64>,
        held: Held,
    ) -> Self {
        Self {
            _held: held,
            registration: Arc::new(registration),
            passed_over,
            acked,
            delivered: acked,
            ahead: acked,
            heartbeats: heartbeats.into_iter().filter(|id| *id > acked.id).collect(),
            pending: None,
        }
    }

    /// Whether clients have this id from here: it is the last one of an answer, or acknowledged.
    pub(super) fn has_sent(&self, id: i64) -> bool {
        id == self.acked.id || id == self.delivered.id
    }

    /// Drops everything up to `last_event_id`, by the rules of docs/protocol/events.md#get_events:
    /// an unknown larger id is refused only after everything was dropped.
    pub(super) fn acknowledge(
        &mut self,
        source: &mut dyn RowSource,
        last_event_id: i64,
    ) -> Result<Acknowledged, Missing> {
        if last_event_id < self.acked.id {
            return Ok(Acknowledged::Pruned);
        }
        if last_event_id == self.acked.id {
            return Ok(Acknowledged::Accepted);
        }
        if self.pending.is_some() {
            // Nothing after the acknowledged offset has been sent, and later ids are not settled.
            return Ok(Acknowledged::Unknown);
        }
        if last_event_id == self.delivered.id {
            self.set_acked(self.delivered);
            return Ok(Acknowledged::Accepted);
        }
        let from = if self.delivered.id > self.acked.id && self.delivered.id < last_event_id {
            self.delivered
        } else {
            self.acked
        };
        let replayed = self.replay(source, from, usize::MAX, |id, _, _| {
            if id == last_event_id {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        self.set_acked(replayed.offset);
        Ok(if replayed.offset.id == last_event_id {
            Acknowledged::Accepted
        } else {
            Acknowledged::Unknown
        })
    }

    /// All unacknowledged events. Must not be called while a heartbeat is pending: ids after it are
    /// not settled.
    pub(super) fn contents(
        &mut self,
        source: &mut dyn RowSource,
        bounds: Bounds,
    ) -> Result<Contents, Missing> {
        let mut events = Vec::new();
        let mut too_much = false;
        let acked = self.acked;
        let replayed = self.replay(source, acked, usize::MAX, |id, tail, offset| {
            if exceeds(offset, acked, bounds) {
                too_much = true;
                return ControlFlow::Break(());
            }
            events.push((id, tail.clone()));
            ControlFlow::Continue(())
        })?;
        if too_much {
            return Ok(Contents::TooMuch);
        }
        self.delivered = replayed.offset;
        self.ahead = replayed.offset;
        if events.is_empty() {
            // No row in between belongs to the queue: do not scan them again.
            self.acked = replayed.offset;
        }
        Ok(Contents::Events(events))
    }

    /// Counts undelivered events, at most `batches` batches further than last time. `None` when the
    /// limits are exceeded, otherwise whether the end was reached.
    pub(super) fn count_ahead(
        &mut self,
        source: &mut dyn RowSource,
        bounds: Bounds,
        batches: usize,
    ) -> Result<Option<bool>, Missing> {
        if self.pending.is_some() {
            return Ok(Some(true));
        }
        let acked = self.acked;
        let replayed = self.replay(source, self.ahead, batches, |_, _, offset| {
            if exceeds(offset, acked, bounds) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        if self.ahead.id == self.acked.id && replayed.offset.id == self.acked.id {
            self.acked = replayed.offset;
        }
        self.ahead = replayed.offset;
        Ok((!exceeds(self.ahead, self.acked, bounds)).then_some(replayed.at_end))
    }

    /// Assigns an id to a new heartbeat. The queue must be empty.
    pub(super) fn begin_heartbeat(&mut self) -> i64 {
        let id = self.acked.id.saturating_add(1);
        self.pending = Some(id);
        id
    }

    /// Marks the pending heartbeat as durable.
    pub(super) fn settle_heartbeat(&mut self) {
        if let Some(id) = self.pending.take() {
            self.heartbeats.push(id);
            // Ids counted beyond the acknowledged offset did not include it.
            self.delivered = self.acked;
            self.ahead = self.acked;
        }
    }

    fn set_acked(&mut self, offset: Offset) {
        self.acked = offset;
        self.heartbeats.retain(|id| *id > offset.id);
        if self.delivered.id < offset.id {
            self.delivered = offset;
        }
        if self.ahead.id < offset.id {
            self.ahead = offset;
        }
    }

    fn replay(
        &self,
        source: &mut dyn RowSource,
        from: Offset,
        batches: usize,
        visit: impl FnMut(i64, &Bytes, Offset) -> ControlFlow<()>,
    ) -> Result<Replayed, Missing> {
        let queue = Replayable {
            registration: &self.registration,
            passed_over: &self.passed_over,
            heartbeats: &self.heartbeats,
        };
        replay(source, queue, from, batches, visit)
    }
}

fn exceeds(offset: Offset, acked: Offset, bounds: Bounds) -> bool {
    offset.events_since(&acked) > bounds.events
        || offset.bytes.saturating_sub(acked.bytes) > bounds.bytes
}
