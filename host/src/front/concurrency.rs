//! The concurrency limit: how many requests of one account or address are in components at once.
//!
//! Further requests of the client wait, so that one client cannot occupy all instances of a component
//! and the memory of its answers is counted before its next requests run. Must not know what a
//! request is.

use super::budget::Client;
use super::error::FrontError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most requests of one account or address that are in components at once; further ones wait.
pub(crate) const MAX_PER_CLIENT: usize = 32;
/// Longest wait for a permit.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The permits of all clients.
pub(super) struct ConcurrencyLimit {
    max: usize,
    timeout: Duration,
    by_client: Mutex<HashMap<Client, Arc<Semaphore>>>,
}

/// A permit, released when it is dropped.
pub(super) struct ConcurrencyPermit {
    limit: Arc<ConcurrencyLimit>,
    holder: Client,
    permit: Option<OwnedSemaphorePermit>,
}

impl Default for ConcurrencyLimit {
    fn default() -> Self {
        Self::new(MAX_PER_CLIENT, TIMEOUT)
    }
}

impl ConcurrencyLimit {
    /// Limits each client to `max` permits; a request waits at most `timeout` for one.
    pub(super) fn new(max: usize, timeout: Duration) -> Self {
        Self {
            max,
            timeout,
            by_client: Mutex::default(),
        }
    }

    /// Waits for a permit, in order of arrival.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] after the time limit.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        holder: Client,
    ) -> Result<ConcurrencyPermit, FrontError> {
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
                Ok(acquired)
            }
            _ => Err(FrontError::Overloaded),
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
        let limit = Arc::new(ConcurrencyLimit::default());
        let (one, other) = (Client::Account(1), Client::Account(2));
        let mut taken = Vec::new();
        for _ in 0..MAX_PER_CLIENT {
            taken.push(limit.acquire(one).await.unwrap());
        }
        let soon = Duration::from_millis(20);
        assert!(
            tokio::time::timeout(soon, limit.acquire(one))
                .await
                .is_err()
        );
        assert!(limit.acquire(other).await.is_ok());
        let (next, ()) = tokio::join!(limit.acquire(one), async { drop(taken.pop()) });
        assert!(next.is_ok());
        drop((taken, next));
        assert!(limit.semaphores().is_empty());
    }
}
