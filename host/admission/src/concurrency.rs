//! Concurrency limits: how many permits of a kind one account or address holds at the same time, such as for requests
//! in components.
//!
//! A client that has all of its permits waits for one of them, so that it cannot occupy what all clients share.

use crate::memory::Client;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits of all clients.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    max: usize,
    timeout: Duration,
    by_client: Mutex<HashMap<Client, Arc<Semaphore>>>,
}

/// A permit, released when it is dropped.
pub struct ConcurrencyPermit {
    limit: Arc<ConcurrencyLimit>,
    holder: Client,
    permit: Option<OwnedSemaphorePermit>,
}

impl ConcurrencyLimit {
    /// Limits each client to `max` permits, each of which is waited for at most `timeout`.
    pub fn new(max: usize, timeout: Duration) -> Self {
        Self {
            max,
            timeout,
            by_client: Mutex::default(),
        }
    }

    /// Waits for a permit, in order of arrival; `None` after the time limit.
    pub async fn acquire(self: &Arc<Self>, holder: Client) -> Option<ConcurrencyPermit> {
        let semaphore = {
            let mut semaphores = self.semaphores();
            let semaphore = semaphores
                .entry(holder)
                .or_insert_with(|| Arc::new(Semaphore::new(self.max)));
            Arc::clone(semaphore)
        };
        // Created before the wait, so that a cancelled wait removes an unused semaphore.
        let mut acquired = ConcurrencyPermit {
            limit: Arc::clone(self),
            holder,
            permit: None,
        };
        match tokio::time::timeout(self.timeout, semaphore.acquire_owned()).await {
            Ok(Ok(permit)) => {
                acquired.permit = Some(permit);
                Some(acquired)
            }
            _ => None,
        }
    }

    fn semaphores(&self) -> MutexGuard<'_, HashMap<Client, Arc<Semaphore>>> {
        self.by_client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut semaphores = self.limit.semaphores();
        // Permits and waiting requests hold references to the semaphore too.
        let is_last = |semaphore: &Arc<Semaphore>| Arc::strong_count(semaphore) == 1;
        if semaphores.get(&self.holder).is_some_and(is_last) {
            semaphores.remove(&self.holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_waits_for_its_own_requests_only() {
        const MAX: usize = 32;
        let limit = Arc::new(ConcurrencyLimit::new(MAX, Duration::from_millis(20)));
        let (one, other) = (Client::Account(1), Client::Account(2));
        let mut taken = Vec::new();
        for _ in 0..MAX {
            taken.push(limit.acquire(one).await.unwrap());
        }
        assert!(limit.acquire(one).await.is_none());
        assert!(limit.acquire(other).await.is_some());
        let (next, ()) = tokio::join!(limit.acquire(one), async { drop(taken.pop()) });
        assert!(next.is_some());
        drop((taken, next));
        assert!(limit.semaphores().is_empty());
    }
}
