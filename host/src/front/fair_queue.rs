//! Fair queues for resources that few requests may use at once because each needs much memory or
//! processor time: components that take large bodies, and instances that hash passwords.
//!
//! One account or address has at most one request in a queue, so that other clients wait for one of
//! its requests and not for all. Its next one comes behind those of clients that have not used the resource
//! lately. Must not know what the resource is.

use super::budget::Client;
use super::error::FrontError;
use crate::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
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
    _permit: Permit,
    // Returned last: then the end of this use is known.
    _client_permit: ConcurrencyPermit,
}

impl FairQueue {
    /// A queue for a resource that `max_concurrent` requests may use at once.
    pub(super) fn new(max_concurrent: usize) -> Self {
        let state = State {
            free: max_concurrent,
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

    /// Waits for a permit, in order of arrival but for clients that have had one lately.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when the wait takes too long, or when the queue is full.
    pub(super) async fn acquire(&self, holder: Client) -> Result<QueuePermit, FrontError> {
        let client_permit = self.per_client.acquire(holder).await;
        let client_permit = client_permit.ok_or(FrontError::Overloaded)?;
        let _waiting = Waiting::begin(&self.waiting)?;
        let used = self.permits.state().used.get(&holder).copied();
        if let Some(used) = used {
            tokio::time::sleep_until((used + self.pace).into()).await;
        }
        let mut place = self.permits.join(holder);
        match tokio::time::timeout(TIMEOUT, &mut place.granted).await {
            Ok(Ok(permit)) => Ok(QueuePermit {
                _permit: permit,
                _client_permit: client_permit,
            }),
            _ => Err(FrontError::Overloaded),
        }
    }
}

struct Permits(Mutex<State>);

#[derive(Default)]
struct State {
    free: usize,
    /// Distinguishes those that queue since the same instant.
    next_number: u64,
    order: BTreeMap<(Instant, u64), (Client, oneshot::Sender<Permit>)>,
    /// The end of each client's last use, if it is recent.
    used: HashMap<Client, Instant>,
}

/// A place in the queue, left when it is dropped.
struct Place {
    permits: Arc<Permits>,
    key: (Instant, u64),
    granted: oneshot::Receiver<Permit>,
}

/// Returned to the others when it is dropped, also when the one that waited for it has gone.
struct Permit {
    permits: Arc<Permits>,
    holder: Client,
}

impl Permits {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(self: &Arc<Self>, holder: Client) -> Permit {
        Permit {
            permits: Arc::clone(self),
            holder,
        }
    }

    fn join(self: &Arc<Self>, holder: Client) -> Place {
        let (sender, granted) = oneshot::channel();
        let mut state = self.state();
        let now = Instant::now();
        let since = state.used.get(&holder).map_or(now, |used| *used + RECENT);
        let key = (since.max(now), state.next_number);
        state.next_number += 1;
        state.order.insert(key, (holder, sender));
        drop(state);
        self.grant();
        Place {
            permits: Arc::clone(self),
            key,
            granted,
        }
    }

    /// Gives what is free to those that wait.
    fn grant(self: &Arc<Self>) {
        loop {
            let mut state = self.state();
            let Some((holder, sender)) = state.next() else {
                return;
            };
            // Not while the lock is held: a permit that no one awaits any more comes back, and is dropped.
            drop(state);
            drop(sender.send(self.permit(holder)));
        }
    }
}

impl State {
    fn next(&mut self) -> Option<(Client, oneshot::Sender<Permit>)> {
        self.free.checked_sub(1)?;
        let (_, next) = self.order.pop_first()?;
        self.free -= 1;
        Some(next)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.permits.state().order.remove(&self.key);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut state = self.permits.state();
        state.free += 1;
        if state.used.len() >= MAX_REMEMBERED {
            state.used.retain(|_, used| now < *used + RECENT);
        }
        state.used.insert(self.holder, now);
        drop(state);
        self.permits.grant();
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
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    async fn waits(queue: &FairQueue, holder: Client) -> bool {
        tokio::time::timeout(SHORT, queue.acquire(holder))
            .await
            .is_err()
    }

    #[tokio::test]
    async fn one_client_has_one_permit_and_all_share_the_limit() {
        let queue = FairQueue::new(2);
        let [one, two, three] = [1, 2, 3].map(Client::Account);
        let first = queue.acquire(one).await.unwrap();
        assert!(waits(&queue, one).await);
        let second = queue.acquire(two).await.unwrap();
        assert!(waits(&queue, three).await);
        drop(first);
        assert!(!waits(&queue, three).await);
        drop(second);
    }

    #[tokio::test]
    async fn a_client_that_has_just_had_a_permit_is_behind_others() {
        let queue = Arc::new(FairQueue::new(1));
        let [busy, other, calm] = [1, 2, 3].map(Client::Account);
        drop(queue.acquire(busy).await.unwrap());
        let held = queue.acquire(other).await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for client in [busy, calm] {
            let (queue, order) = (Arc::clone(&queue), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let _permit = queue.acquire(client).await.unwrap();
                order.lock().unwrap().push(client);
            }));
            tokio::time::sleep(SHORT).await;
        }
        drop(held);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock().unwrap(), [calm, busy]);
    }

    #[tokio::test]
    async fn new_clients_are_before_it_for_a_short_time_only() {
        let queue = FairQueue::new(1);
        let [busy, first] = [1, 2].map(Client::Account);
        drop(queue.acquire(busy).await.unwrap());
        let held = queue.acquire(first).await.unwrap();
        let mut waiting = Box::pin(queue.acquire(busy));
        assert!(tokio::time::timeout(SHORT, &mut waiting).await.is_err());
        tokio::time::sleep(RECENT).await;
        let mut late = Box::pin(queue.acquire(Client::Account(3)));
        assert!(tokio::time::timeout(SHORT, &mut late).await.is_err());
        drop(held);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn with_a_pace_a_client_waits_after_each_use_and_others_do_not() {
        let pace = 4 * SHORT;
        let queue = FairQueue::new(2).paced(pace);
        let [busy, other] = [1, 2].map(Client::Account);
        drop(queue.acquire(busy).await.unwrap());
        let used = Instant::now();
        assert!(!waits(&queue, other).await);
        drop(queue.acquire(busy).await.unwrap());
        assert!(used.elapsed() >= pace - SHORT);
    }

    #[tokio::test]
    async fn one_that_no_longer_waits_has_left_the_queue() {
        let queue = FairQueue::new(1);
        let [one, two] = [1, 2].map(Client::Account);
        let held = queue.acquire(one).await.unwrap();
        assert!(waits(&queue, two).await);
        assert!(queue.permits.state().order.is_empty());
        drop(held);
        assert!(!waits(&queue, one).await && !waits(&queue, two).await);
    }

    #[tokio::test]
    async fn the_queue_is_bounded() {
        let queue = Arc::new(FairQueue::new(1));
        let permit = queue.acquire(Client::Account(0)).await.unwrap();
        let acquire = |number: usize| {
            let queue = Arc::clone(&queue);
            let holder = Client::Account(number as i64);
            tokio::spawn(async move { queue.acquire(holder).await.is_ok() })
        };
        let queued: Vec<_> = (1..=MAX_QUEUED).map(acquire).collect();
        while queue.waiting.load(Ordering::Relaxed) < MAX_QUEUED {
            tokio::task::yield_now().await;
        }
        let one_more = queue.acquire(Client::Account(-1)).await;
        assert_eq!(one_more.err(), Some(FrontError::Overloaded));
        drop(permit);
        for waiting in queued {
            assert!(waiting.await.unwrap());
        }
        assert_eq!(queue.waiting.load(Ordering::Relaxed), 0);
    }
}
