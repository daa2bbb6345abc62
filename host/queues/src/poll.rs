//! Polls (GET /events), after the component has authenticated the caller
//! (docs/protocol/events.md#get_events).

use std::sync::Arc;

use bytes::Bytes;
use spindle_domain::UserId;
use spindle_store::event_delivery;

use super::answer::{Answer, PollOutcome};
use super::held_poll::HeldPoll;
use super::inner::Inner;
use super::known_queues::admit;
use super::loading::{WarmUpError, warm_up};
use super::queue::{Acknowledged, Contents, Credential, Phase, Queue, QueueState};
use super::replay::RowSource;
use super::ring::Missing;
use super::service::EventService;
use super::shared;
use spindle_admission::memory::Client;

/// The queue itself is not in memory.
const NOT_IN_MEMORY: Missing = Missing { indexed_from: 0 };

/// The result of a poll that can be given without reading the database.
enum Attempt {
    Done(PollOutcome),
    Wait(HeldPoll),
}

impl EventService {
    /// [`Self::poll_with`], for an account that is counted on its own, without credentials.
    #[cfg(test)]
    pub(crate) async fn poll(
        &self,
        queue_id: &str,
        user_id: UserId,
        last_event_id: i64,
        dont_block: bool,
    ) -> PollOutcome {
        self.poll_with(PollRequest {
            queue_id,
            user_id,
            client: Client::Account(user_id.get()),
            last_event_id,
            dont_block,
            credential: None,
        })
        .await
    }

    /// Polls a queue for its owner. The future is small and cheap to hold; dropping it
    /// releases the queue.
    pub async fn poll_with(&self, mut poll: PollRequest<'_>) -> PollOutcome {
        let credential = poll.credential.take();
        let PollRequest {
            queue_id,
            user_id,
            last_event_id,
            dont_block,
            ..
        } = poll;
        let inner = &self.inner;
        let waits = !dont_block && !inner.has_moved(queue_id, last_event_id);
        if !waits && !inner.is_releasing() {
            // The answer must include every event whose commit the client has seen acknowledged, and every event that
            // another node has sent.
            Box::pin(inner.follower.catch_up()).await;
        }
        let mut attempt = poll.attempt(inner).await;
        let is_refused = matches!(
            attempt,
            Attempt::Done(PollOutcome::Unknown | PollOutcome::BadQueue)
        );
        if is_refused && inner.is_shared() && !inner.is_releasing() {
            attempt = Box::pin(poll.attempt_when_current(inner)).await;
        }
        match attempt {
            Attempt::Done(outcome) => outcome,
            Attempt::Wait(held) => {
                if let Some(credential) = credential {
                    held.note_credential(Arc::clone(&credential));
                    if Box::pin(inner.has_ended(user_id, credential)).await {
                        return PollOutcome::Unauthorized;
                    }
                }
                match held.await {
                    PollOutcome::Events(answer) => PollOutcome::Events(answer.after_waiting()),
                    other => other,
                }
            }
        }
    }

    /// Called when the queue's row was deleted from the main database: a waiting poll is answered
    /// with the events so far (docs/protocol/events.md#delete_queue).
    pub fn deleted(&self, queue_id: &str) {
        if let Some(queue) = self.inner.table.remove(queue_id) {
            self.inner.remove_deleted(&queue);
        }
    }
}

/// What a client asks for.
#[derive(Debug, Clone)]
pub struct PollRequest<'p> {
    /// The queue.
    pub queue_id: &'p str,
    /// The user who must own it.
    pub user_id: UserId,
    /// The client whose reads of the database are counted together.
    pub client: Client,
    /// The last event that the client has received; -1 for none.
    pub last_event_id: i64,
    /// Answer immediately, even without events.
    pub dont_block: bool,
    /// The credentials of the request; a waiting poll ends with them.
    pub credential: Option<Credential>,
}

impl PollRequest<'_> {
    /// From memory, else from the database.
    async fn attempt(&self, inner: &Arc<Inner>) -> Attempt {
        let Self {
            user_id,
            last_event_id,
            dont_block,
            ..
        } = *self;
        let attempt = match inner.table.get(self.queue_id) {
            Some(queue) => {
                let source = &mut inner.follower.log.ring_source();
                inner.attempt(&queue, user_id, last_event_id, dont_block, source)
            }
            None => Err(NOT_IN_MEMORY),
        };
        match attempt {
            Ok(attempt) => attempt,
            Err(_) => {
                let id: Arc<str> = self.queue_id.into();
                // Acquired before the shared permit, for which one client would otherwise queue hundreds of times.
                let own = Box::pin(inner.own_readers.acquire(self.client));
                let Some(_own_permit) = own.await else {
                    return Attempt::Done(PollOutcome::NoRoom);
                };
                Box::pin(attempt_with_database(
                    inner,
                    id,
                    user_id,
                    last_event_id,
                    dont_block,
                ))
                .await
            }
        }
    }

    /// The same, once it is certain that this node knows all that other nodes know: the client may have an event or a queue from
    /// another one, while this one is behind, or has a database that was cut off.
    async fn attempt_when_current(&self, inner: &Arc<Inner>) -> Attempt {
        let is_current = inner.has_current_database().await && inner.follower.catch_up().await;
        // A failed read counts as a read for the tasks that wait for one.
        if is_current && inner.follower.health.check().is_ok() {
            self.attempt(inner).await
        } else {
            Attempt::Done(PollOutcome::Unavailable)
        }
    }
}

/// As [`Inner::attempt`], on a thread that may read the database.
async fn attempt_with_database(
    inner: &Arc<Inner>,
    queue_id: Arc<str>,
    user_id: UserId,
    last_event_id: i64,
    dont_block: bool,
) -> Attempt {
    let unavailable = Attempt::Done(PollOutcome::Unavailable);
    let Ok(_permit) = inner.readers.acquire().await else {
        return unavailable;
    };
    let inner = Arc::clone(inner);
    let reading = tokio::task::spawn_blocking(move || {
        let queue = match inner.table.get(&queue_id) {
            Some(queue) => queue,
            None => match inner.find(&queue_id) {
                Ok(Some(queue)) => queue,
                Ok(None) => return Attempt::Done(PollOutcome::BadQueue),
                Err(()) => return Attempt::Done(PollOutcome::Unavailable),
            },
        };
        if queue.user_id != user_id {
            return Attempt::Done(PollOutcome::BadQueue);
        }
        if shared::refresh(&inner, &queue).is_err() {
            return Attempt::Done(PollOutcome::Unavailable);
        }
        match warm_up(&inner, &queue) {
            Ok(()) => {}
            Err(WarmUpError::NoRoom) => return Attempt::Done(PollOutcome::NoRoom),
            Err(WarmUpError::Unreadable) => return Attempt::Done(PollOutcome::Unavailable),
        }
        let source = &mut inner.follower.log.any_source();
        let attempt = inner
            .attempt(&queue, user_id, last_event_id, dont_block, source)
            .unwrap_or(Attempt::Done(PollOutcome::Unavailable));
        match source.has_read_database() && shared::is_behind(&inner, &queue) {
            true => Attempt::Done(PollOutcome::Unavailable),
            false => attempt,
        }
    });
    reading.await.unwrap_or(unavailable)
}

impl Inner {
    /// Finds a queue in the main database. Blocks.
    fn find(&self, queue_id: &str) -> Result<Option<Arc<Queue>>, ()> {
        let read = self
            .follower
            .log
            .with_reader(|db| event_delivery::find_queue(db, queue_id));
        match read {
            Ok(found) => Ok(found.map(|queue| admit(self, &queue.head, None))),
            Err(error) => {
                tracing::error!(%error, "a queue cannot be looked up");
                Err(())
            }
        }
    }

    /// The steps of a poll, in the order of the protocol. Fails, without side effects, when the queue
    /// or its rows are not in memory.
    fn attempt(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        user_id: UserId,
        last_event_id: i64,
        dont_block: bool,
        source: &mut dyn RowSource,
    ) -> Result<Attempt, Missing> {
        let done = |outcome| Ok(Attempt::Done(outcome));
        if queue.user_id != user_id {
            return done(PollOutcome::BadQueue);
        }
        let mut state = queue.lock();
        let cursor = match &mut state.phase {
            Phase::Open(cursor) => cursor,
            Phase::Ended => return done(PollOutcome::BadQueue),
            Phase::Cold => return Err(NOT_IN_MEMORY),
        };
        let acknowledged = cursor.acknowledge(source, last_event_id)?;
        if acknowledged == Acknowledged::Accepted {
            let settled = cursor.pending.is_none();
            let events = if settled {
                match cursor.contents(source, self.bounds())? {
                    Contents::Events(events) => events,
                    Contents::TooMuch => {
                        self.overflow(queue, &mut state);
                        return done(PollOutcome::BadQueue);
                    }
                }
            } else {
                Vec::new()
            };
            return self.answer_or_wait(queue, &mut state, events, settled, dont_block, source);
        }
        state.active = self.running();
        self.note(queue, &state);
        done(match acknowledged {
            Acknowledged::Pruned => PollOutcome::Pruned,
            _ => PollOutcome::Unknown,
        })
    }

    /// Answers the poll if the queue has events, otherwise holds it in place of an older poll. While
    /// a heartbeat is being made durable, even a poll with `dont_block` waits for those
    /// milliseconds, unless heartbeats cannot be written at all.
    fn answer_or_wait(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        state: &mut QueueState,
        events: Vec<(i64, Bytes)>,
        settled: bool,
        dont_block: bool,
        source: &mut dyn RowSource,
    ) -> Result<Attempt, Missing> {
        let answer = |events| PollOutcome::Events(Answer::new(Arc::clone(&queue.id), events));
        state.active = self.running();
        self.note(queue, state);
        if state.waiter.is_some() {
            self.release(queue, state, answer(events.clone()));
        }
        let impatient = dont_block || self.is_releasing();
        if settled && !events.is_empty() || impatient && (settled || self.journal_fails()) {
            self.statistics.delivered.increment(events.len() as u64);
            return Ok(Attempt::Done(answer(events)));
        }
        let held = self.hold(queue, state);
        let seen = state
            .cursor()
            .map_or(i64::MAX, |cursor| cursor.acked.next_seq);
        if settled && self.follower.log.end() > seen {
            // Committed while this poll was entering the index; see `waiting`.
            let bounds = self.bounds();
            let contents = state
                .cursor()
                .map(|cursor| cursor.contents(source, bounds))
                .transpose();
            match contents {
                Ok(Some(Contents::Events(events))) if !events.is_empty() => {
                    self.release(queue, state, answer(events));
                }
                Ok(Some(Contents::TooMuch)) => self.overflow(queue, state),
                Ok(_) => {}
                Err(missing) => {
                    self.unhold(queue, state);
                    return Err(missing);
                }
            }
        }
        Ok(Attempt::Wait(held))
    }

    /// Records the client's position in the journal.
    pub(super) fn note(&self, queue: &Queue, state: &QueueState) {
        if let Some(position) = state.position() {
            self.journal.note(&queue.id, position);
        }
    }

    /// Removes a queue that was deleted, without the events that it still had.
    pub(super) fn refuse(&self, queue: &Arc<Queue>) {
        let mut state = queue.lock();
        self.release(queue, &mut state, PollOutcome::BadQueue);
        state.phase = Phase::Ended;
        self.journal.forget([Arc::clone(&queue.id)]);
    }

    /// Removes a queue that was deleted from the main database.
    pub(super) fn remove_deleted(&self, queue: &Arc<Queue>) {
        let mut state = queue.lock();
        let bounds = self.bounds();
        let last = state.cursor().filter(|cursor| cursor.pending.is_none());
        let source = &mut self.follower.log.ring_source();
        let events = match last.map(|cursor| cursor.contents(source, bounds)) {
            Some(Ok(Contents::Events(events))) => events,
            _ => Vec::new(),
        };
        let answer = Answer::new(Arc::clone(&queue.id), events);
        self.release(queue, &mut state, PollOutcome::Events(answer));
        state.phase = Phase::Ended;
        self.journal.forget([Arc::clone(&queue.id)]);
    }
}

impl QueueState {
    /// Whether the queue receives events of public channels that its owner is not subscribed to.
    pub(super) fn receives_public_channels(&self) -> bool {
        let Phase::Open(cursor) = &self.phase else {
            return false;
        };
        let registration = &cursor.registration;
        registration.all_public_streams || !registration.narrow.is_empty()
    }
}
