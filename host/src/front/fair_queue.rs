//! Fair queues for resources that few requests may use at once because each needs much memory or
//! processor time: components that take large bodies, and instances that hash passwords.
//!
//! One account or address has at most one request in a queue, so that other clients wait for one of
//! its requests and not for all. Must not know what the resource is.

use super::budget::Client;
use super::error::FrontError;
use crate::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest wait. Transfers of large bodies take longer anyway.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Most accounts and addresses that wait; more are refused.
pub(crate) const MAX_QUEUED: usize = 256;

/// A bounded queue with one permit for each client.
pub(super) struct FairQueue {
    per_client: Arc<ConcurrencyLimit>,
    permits: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A permit to use the resource, returned when it is dropped.
pub(super) struct QueuePermit {
    _client_permit: ConcurrencyPermit,
    _permit: OwnedSemaphorePermit,
}

impl FairQueue {
    /// A queue for a resource that `max_concurrent` requests may use at once.
    pub(super) fn new(max_concurrent: usize) -> Self {
        Self {
            per_client: Arc::new(ConcurrencyLimit::new(1, TIMEOUT)),
            permits: Arc::new(Semaphore::new(max_concurrent)),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Waits for a permit, in order of arrival.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when the wait takes too long, or when the queue is full.
    pub(super) async fn acquire(&self, holder: Client) -> Result<QueuePermit, FrontError> {
        let client_permit = self.per_client.acquire(holder).await;
        let client_permit = client_permit.ok_or(FrontError::Overloaded)?;
        let _waiting = Waiting::begin(&self.waiting)?;
        let permit = Arc::clone(&self.permits).acquire_owned();
        match tokio::time::timeout(TIMEOUT, permit).await {
            Ok(Ok(permit)) => Ok(QueuePermit {
                _client_permit: client_permit,
                _permit: permit,
            }),
            _ => Err(FrontError::Overloaded),
        }
    }
}

/// Counts a waiting request while it exists.
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
