//! Requests that exceed the rate limit of their account or address: they reach their component one after
//! the other, so that a flood of them, such as of invented keys, takes little of the processors.
//!
//! The component refuses them, since only it knows the order of errors and the account of a key. Must not
//! decide which requests are refused.

use super::error::FrontError;
use crate::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use crate::memory::Client;
use std::sync::Arc;
use std::time::Duration;

/// Shortest time for which a refused request keeps the next one of the same client waiting.
const PACE: Duration = Duration::from_millis(1);
/// Longest wait.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The queues of all clients, each for requests of one account or address.
pub(super) struct Refusals(Arc<ConcurrencyLimit>);

impl Default for Refusals {
    fn default() -> Self {
        Self(Arc::new(ConcurrencyLimit::new(1, TIMEOUT)))
    }
}

impl Refusals {
    /// Waits for the other requests over the limit of this client; the permit is held until this one
    /// is answered.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when the wait takes too long.
    pub(super) async fn acquire(&self, holder: Client) -> Result<ConcurrencyPermit, FrontError> {
        let permit = self.0.acquire(holder).await;
        let permit = permit.ok_or(FrontError::Overloaded)?;
        tokio::time::sleep(PACE).await;
        Ok(permit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[tokio::test]
    async fn requests_over_the_limit_follow_one_another() {
        let refusals = Refusals::default();
        let (one, other) = (Client::Account(1), Client::Account(2));
        let started = Instant::now();
        for _ in 0..5 {
            drop(refusals.acquire(one).await);
        }
        assert!(started.elapsed() >= 5 * PACE);
        let held = refusals.acquire(one).await;
        let soon = Duration::from_millis(30);
        let next = tokio::time::timeout(soon, refusals.acquire(one)).await;
        assert!(next.is_err(), "the one before is not answered yet");
        assert!(refusals.acquire(other).await.is_ok());
        drop(held);
        assert!(refusals.acquire(one).await.is_ok());
    }
}
