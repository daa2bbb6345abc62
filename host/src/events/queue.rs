//! One queue in memory: a cursor, the ids of its heartbeats and perhaps a waiting poll.
//!
//! No events are kept here. A queue that nobody has polled since the start is `Cold`: what is
//! stored of it is read at its first poll, so that a start reads almost nothing.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use spindle_events::Registration;
use tokio::sync::oneshot;

use super::journal::Position;
use super::mark::Mark;
use super::poll::PollOutcome;
use super::ring::Missing;
use super::walk::{RowSource, Walked, walk};
use crate::memory::Held;

/// One queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) id: Arc<str>,
    pub(super) number: i64,
    pub(super) user_id: i64,
    /// Events after this log row belong to the queue.
    pub(super) base_seq: i64,
    pub(super) idle_timeout: Duration,
    pub(super) state: Mutex<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) phase: Phase,
    /// Running time of the service at the last poll.
    pub(super) active: Duration,
    /// An entry for this queue is in the heap of deadlines.
    pub(super) timed: bool,
    pub(super) waiter: Option<Waiter>,
}

#[derive(Debug)]
pub(super) enum Phase {
    Cold,
    Open(Box<Cursor>),
    Ended,
}

/// The one poll that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) sender: oneshot::Sender<PollOutcome>,
    /// Running time at which it is answered with a heartbeat.
    pub(super) deadline: Duration,
    /// Which poll it is.
    pub(super) ticket: u64,
}

/// Where the client stands.
#[derive(Debug)]
pub(super) struct Cursor {
    _held: Held,
    pub(super) registration: Arc<Registration>,
    /// Everything before is acknowledged.
    pub(super) acked: Mark,
    /// The end of the last answer, since that is what clients acknowledge.
    delivered: Mark,
    /// The furthest place that was counted for the bound.
    pub(super) ahead: Mark,
    /// Ids of unacknowledged heartbeats, ascending, all durable.
    heartbeats: Vec<i64>,
    /// The id of a heartbeat that is being made durable. Nothing is sent meanwhile: what
    /// follows counts on it.
    pub(super) pending: Option<i64>,
}

/// Bounds on what is undelivered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) events: u64,
    pub(super) bytes: u64,
}

/// What a queue holds.
pub(super) enum Contents {
    Events(Vec<(i64, Bytes)>),
    /// More than the bounds allow.
    TooMuch,
}

/// The result of an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acknowledged {
    /// Everything up to it is dropped.
    Accepted,
    /// Dropped before by a later acknowledgement.
    Pruned,
    /// Never an id of this queue.
    Unknown,
}

impl Queue {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(super) fn cursor(&mut self) -> Option<&mut Cursor> {
        match &mut self.phase {
            Phase::Open(cursor) => Some(cursor),
            Phase::Cold | Phase::Ended => None,
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// What the journal is to know.
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
    /// `held`: the memory that it takes.
    pub(super) fn new(
        registration: Registration,
        acked: Mark,
        heartbeats: Vec<i64>,
        held: Held,
    ) -> Self {
        Self {
            _held: held,
            registration: Arc::new(registration),
            acked,
            delivered: acked,
            ahead: acked,
            heartbeats: heartbeats.into_iter().filter(|id| *id > acked.id).collect(),
            pending: None,
        }
    }

    /// Drops everything up to `last_event_id`, by the rules of protocol-facts 3.1: an unknown
    /// larger id is refused only after everything was dropped.
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
            // Nothing after the acknowledged place has been sent, and its ids are not settled.
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
        let walked = self.walk(source, from, usize::MAX, |id, _, _| {
            if id == last_event_id {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        self.set_acked(walked.mark);
        Ok(if walked.mark.id == last_event_id {
            Acknowledged::Accepted
        } else {
            Acknowledged::Unknown
        })
    }

    /// Everything that is not acknowledged. While a heartbeat is pending this must not be
    /// called: ids after it are not settled.
    pub(super) fn contents(
        &mut self,
        source: &mut dyn RowSource,
        bounds: Bounds,
    ) -> Result<Contents, Missing> {
        let mut events = Vec::new();
        let mut too_much = false;
        let acked = self.acked;
        let walked = self.walk(source, acked, usize::MAX, |id, tail, mark| {
            if exceeds(mark, acked, bounds) {
                too_much = true;
                return ControlFlow::Break(());
            }
            events.push((id, tail.clone()));
            ControlFlow::Continue(())
        })?;
        if too_much {
            return Ok(Contents::TooMuch);
        }
        self.delivered = walked.mark;
        self.ahead = walked.mark;
        if events.is_empty() {
            // Nothing between here and there belongs to the queue; do not look again.
            self.acked = walked.mark;
        }
        Ok(Contents::Events(events))
    }

    /// Counts what is undelivered, at most `batches` batches further than last time. `None`
    /// when it is too much, else whether the end was reached.
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
        let walked = self.walk(source, self.ahead, batches, |_, _, mark| {
            if exceeds(mark, acked, bounds) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        if self.ahead.id == self.acked.id && walked.mark.id == self.acked.id {
            self.acked = walked.mark;
        }
        self.ahead = walked.mark;
        Ok((!exceeds(self.ahead, self.acked, bounds)).then_some(walked.at_end))
    }

    /// The id that a heartbeat gets now. The queue must be empty.
    pub(super) fn begin_heartbeat(&mut self) -> i64 {
        let id = self.acked.id.saturating_add(1);
        self.pending = Some(id);
        id
    }

    /// The pending heartbeat is durable.
    pub(super) fn settle_heartbeat(&mut self) {
        if let Some(id) = self.pending.take() {
            self.heartbeats.push(id);
            // Ids counted past the acknowledged place did not know of it.
            self.delivered = self.acked;
            self.ahead = self.acked;
        }
    }

    fn set_acked(&mut self, mark: Mark) {
        self.acked = mark;
        self.heartbeats.retain(|id| *id > mark.id);
        if self.delivered.id < mark.id {
            self.delivered = mark;
        }
        if self.ahead.id < mark.id {
            self.ahead = mark;
        }
    }

    fn walk(
        &self,
        source: &mut dyn RowSource,
        from: Mark,
        batches: usize,
        visit: impl FnMut(i64, &Bytes, Mark) -> ControlFlow<()>,
    ) -> Result<Walked, Missing> {
        let registration = &self.registration;
        walk(source, registration, &self.heartbeats, from, batches, visit)
    }
}

fn exceeds(mark: Mark, acked: Mark, bounds: Bounds) -> bool {
    mark.events_since(&acked) > bounds.events
        || mark.bytes.saturating_sub(acked.bytes) > bounds.bytes
}
