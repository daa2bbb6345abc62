//! Fair queues for resources that few requests may use at once because each needs much memory or
//! processor time: components that take large bodies, and instances that hash passwords.
//!
//! One account or address has at most one request in a queue, so that other clients wait for one of
//! its requests and not for all. Its next one comes behind those of clients that have not used the resource
//! lately. One that computes for much of the time uses the resource with low priority, beside others.
//! Must not know what the resource is.

use super::budget::Client;
use super::error::FrontError;
use crate::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use crate::low_priority::Computing;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Longest wait. Transfers of large bodies take longer anyway.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Most accounts and addresses that wait; more are refused.
pub(crate) const MAX_QUEUED: usize = 256;
/// For so long after its last use a client queues as if it came at the end of that time. New clients, however many,
/// are before it no longer than that.
const RECENT: Duration = Duration::from_secs(1);
/// A client owes this multiple of the processor time that it has used, and as long as that has not gone by, it computes with
/// low priority. So it has the ordinary one for a quarter of a processor.
pub(crate) const PRICE: u32 = 4;
/// Most that a client owes.
const MOST_OWED: Duration = RECENT;
/// From this number on, uses that are no longer recent are forgotten.
const MAX_REMEMBERED: usize = 1024;

/// A bounded queue with one permit for each client.
pub(super) struct FairQueue {
    per_client: Arc<ConcurrencyLimit>,
    permits: Arc<Permits>,
    waiting: AtomicUsize,
    /// The shortest time between two uses of one client.
    pace: Duration,
}

/// A permit to use the resource, returned when it is dropped.
pub(super) struct QueuePermit {
    permit: Permit,
    // Returned last: then the end of this use is known.
    _client_permit: ConcurrencyPermit,
}

impl QueuePermit {
    /// How the request computes. What it uses is counted there.
    pub(super) fn computing(&self) -> Computing {
        self.permit.computing.clone()
    }
}

impl FairQueue {
    /// A queue for a resource that `max_concurrent` requests may use at once.
    pub(super) fn new(max_concurrent: usize) -> Self {
        let state = State {
            ordinary: Lane::new(max_concurrent),
            ..State::default()
        };
        Self {
            per_client: Arc::new(ConcurrencyLimit::new(1, TIMEOUT)),
            permits: Arc::new(Permits(Mutex::new(state))),
            waiting: AtomicUsize::new(0),
            pace: Duration::ZERO,
        }
    }

    /// The same queue, in which a client's next use begins no sooner than `pace` after its last one.
    pub(super) fn paced(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// The same queue; clients that compute for much of the time do so with low priority, and at most `max_concurrent` of
    /// them at once, which are not among those that use the resource otherwise.
    pub(super) fn with_low_priority(self, max_concurrent: usize) -> Self {
        self.permits.state().low_priority = Some(Lane::new(max_concurrent));
        self
    }

    /// Waits for a permit, in order of arrival but for clients that have had one lately.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when the wait takes too long, or when the queue is full.
    pub(super) async fn acquire(&self, holder: Client) -> Result<QueuePermit, FrontError> {
        let client_permit = self.per_client.acquire(holder).await;
        let client_permit = client_permit.ok_or(FrontError::Overloaded)?;
        let _waiting = Waiting::begin(&self.waiting)?;
        let last = self.permits.state().uses.get(&holder).copied();
        if let Some(last) = last {
            tokio::time::sleep_until((last.ended + self.pace).into()).await;
        }
        let mut place = self.permits.join(holder);
        match tokio::time::timeout(TIMEOUT, &mut place.granted).await {
            Ok(Ok(permit)) => Ok(QueuePermit {
                permit,
                _client_permit: client_permit,
            }),
            _ => Err(FrontError::Overloaded),
        }
    }
}

struct Permits(Mutex<State>);

#[derive(Default)]
struct State {
    ordinary: Lane,
    /// For clients that owe, where these have another priority.
    low_priority: Option<Lane>,
    /// Distinguishes those that queue since the same instant.
    next_number: u64,
    /// Each client's last use, if it is recent.
    uses: HashMap<Client, Use>,
}

/// Requests that use the resource with the same priority, and those that wait to do so.
#[derive(Default)]
struct Lane {
    free: usize,
    order: BTreeMap<Key, Waiter>,
}

struct Waiter {
    client: Client,
    queued_at: Instant,
    sender: oneshot::Sender<Permit>,
}

/// Since when a request queues, and its number.
type Key = (Instant, u64);

/// What is known of a client.
#[derive(Clone, Copy)]
struct Use {
    ended: Instant,
    /// Until then, it owes for the processor time that it has used.
    paid_at: Instant,
}

/// A place in the queue, left when it is dropped.
struct Place {
    permits: Arc<Permits>,
    has_low_priority: bool,
    key: Key,
    granted: oneshot::Receiver<Permit>,
}

/// Returned to the others when it is dropped, also when the one that waited for it has gone.
struct Permit {
    permits: Arc<Permits>,
    holder: Client,
    queued_at: Instant,
    computing: Computing,
}

impl Permits {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(self: &Arc<Self>, holder: Client) -> Place {
        let (sender, granted) = oneshot::channel();
        let mut state = self.state();
        let now = Instant::now();
        let last = state.uses.get(&holder).copied();
        let since = last.map_or(now, |last| last.ended + RECENT);
        let key = (since.max(now), state.next_number);
        state.next_number += 1;
        let owes = last.is_some_and(|last| now < last.paid_at);
        let has_low_priority = owes && state.low_priority.is_some();
        let lane = state.lane(has_low_priority);
        let waiter = Waiter {
            client: holder,
            queued_at: now,
            sender,
        };
        lane.order.insert(key, waiter);
        drop(state);
        self.grant(has_low_priority);
        Place {
            permits: Arc::clone(self),
            has_low_priority,
            key,
            granted,
        }
    }

    /// Gives what is free in a lane to those that wait there.
    fn grant(self: &Arc<Self>, has_low_priority: bool) {
        loop {
            let next = self.state().lane(has_low_priority).next();
            let Some(next) = next else {
                return;
            };
            // Not while the lock is held: a permit that no one awaits any more comes back, and is dropped.
            drop(next.sender.send(Permit {
                permits: Arc::clone(self),
                holder: next.client,
                queued_at: next.queued_at,
                computing: Computing::new(has_low_priority),
            }));
        }
    }
}

impl State {
    fn lane(&mut self, has_low_priority: bool) -> &mut Lane {
        match &mut self.low_priority {
            Some(lane) if has_low_priority => lane,
            _ => &mut self.ordinary,
        }
    }
}

impl Lane {
    fn new(free: usize) -> Self {
        Self {
            free,
            order: BTreeMap::new(),
        }
    }

    fn next(&mut self) -> Option<Waiter> {
        self.free.checked_sub(1)?;
        let (_, next) = self.order.pop_first()?;
        self.free -= 1;
        Some(next)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.permits.state();
        state.lane(self.has_low_priority).order.remove(&self.key);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let has_low_priority = self.computing.has_low_priority();
        let now = Instant::now();
        let mut state = self.permits.state();
        state.lane(has_low_priority).free += 1;
        if state.uses.len() >= MAX_REMEMBERED {
            state.uses.retain(|_, last| now < last.ended + RECENT);
        }
        // It pays while it queues and computes as well; with low priority it does not, so that this ends with a pause.
        let since = match has_low_priority {
            true => now,
            false => self.queued_at,
        };
        let before = state.uses.get(&self.holder);
        let since = before.map_or(since, |last| last.paid_at.max(since));
        let paid_at = since + self.computing.used() * PRICE;
        let last = Use {
            ended: now,
            paid_at: paid_at.min(now + MOST_OWED),
        };
        state.uses.insert(self.holder, last);
        drop(state);
        self.permits.grant(has_low_priority);
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Result<Self, FrontError> {
        let waiting = Self(count);
        match count.fetch_add(1, Ordering::Relaxed) < MAX_QUEUED {
            true => Ok(waiting),
            false => Err(FrontError::Overloaded),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
