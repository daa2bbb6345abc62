//! A poll that waits: how it begins, and how it ends when its client goes.
//!
//! Owns the waiter of a queue. The caller decides the answer of a poll.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::oneshot;

use super::answer::PollOutcome;
use super::inner::Inner;
use super::queue::{Credential, Queue, QueueState, Waiter};

/// A poll that waits. Dropping it, as when the client disconnects, makes the queue idle.
pub(super) struct HeldPoll {
    inner: Arc<Inner>,
    queue: Arc<Queue>,
    receiver: oneshot::Receiver<PollOutcome>,
    ticket: u64,
}

impl Inner {
    pub(super) fn hold(self: &Arc<Self>, queue: &Arc<Queue>, state: &mut QueueState) -> HeldPoll {
        let (sender, receiver) = oneshot::channel();
        let ticket = self.waiting.ticket();
        let since = self.running();
        let deadline = since + self.options.heartbeat_after + self.spread();
        state.waiter = Some(Waiter {
            sender,
            since,
            deadline,
            ticket,
            credential: None,
        });
        if !state.timed {
            state.timed = true;
            self.deadlines.add(deadline, Arc::downgrade(queue));
        }
        self.waiting.enter(queue, state.receives_public_channels());
        HeldPoll {
            inner: Arc::clone(self),
            queue: Arc::clone(queue),
            receiver,
            ticket,
        }
    }

    pub(super) fn unhold(&self, queue: &Arc<Queue>, state: &mut QueueState) {
        state.waiter = None;
        self.waiting.leave(queue, state.receives_public_channels());
        state.active = self.running();
        self.note(queue, state);
    }

    /// A random part of [`super::EventOptions::heartbeat_spread`].
    fn spread(&self) -> Duration {
        let mut random = [0; 4];
        // Without randomness heartbeats coincide, which is no reason to refuse a poll.
        if getrandom::fill(&mut random).is_err() {
            return Duration::ZERO;
        }
        let part = f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX);
        self.options.heartbeat_spread.mul_f64(part)
    }
}

impl HeldPoll {
    /// Binds the poll to its credentials: it ends with them.
    pub(super) fn note_credential(&self, credential: Credential) {
        let mut state = self.queue.lock();
        if let Some(waiter) = state.waiter.as_mut()
            && waiter.ticket == self.ticket
        {
            waiter.credential = Some(credential);
        }
    }
}

impl Future for HeldPoll {
    type Output = PollOutcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<PollOutcome> {
        Pin::new(&mut self.receiver)
            .poll(context)
            .map(|outcome| outcome.unwrap_or(PollOutcome::Unavailable))
    }
}

impl Drop for HeldPoll {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        let waits = state.waiter.as_ref();
        if waits.is_some_and(|waiter| waiter.ticket == self.ticket) {
            self.inner.unhold(&self.queue, &mut state);
        }
    }
}
