//! Turns: how many requests of one account or address are in components at once.
//!
//! What one client asks for in one go comes one after another, so that the places of a component
//! are never all taken by one, and so that what its answers take is seen before the next is made.
//! Must not know what a request is.

use super::budget::Holder;
use super::error::FrontError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests of one account or address that are in components at once; more wait in line.
pub(crate) const MOST: usize = 32;
/// Longest wait in that line.
const PATIENCE: Duration = Duration::from_secs(10);

/// All turns, by who has them.
pub(super) struct Turns {
    most: usize,
    patience: Duration,
    by_holder: Mutex<HashMap<Holder, Arc<Semaphore>>>,
}

/// A turn, given back when it is dropped.
pub(super) struct Turn {
    turns: Arc<Turns>,
    holder: Holder,
    permit: Option<OwnedSemaphorePermit>,
}

impl Default for Turns {
    fn default() -> Self {
        Self::of(MOST, PATIENCE)
    }
}

impl Turns {
    /// Turns of which one holder has at most so many, and waits no longer than `patience` for one.
    pub(super) fn of(most: usize, patience: Duration) -> Self {
        Self {
            most,
            patience,
            by_holder: Mutex::default(),
        }
    }

    /// Waits for a turn, first come, first served.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when that takes too long.
    pub(super) async fn take(self: &Arc<Self>, holder: Holder) -> Result<Turn, FrontError> {
        let line = {
            let mut lines = self.lines();
            let line = lines
                .entry(holder)
                .or_insert_with(|| Arc::new(Semaphore::new(self.most)));
            Arc::clone(line)
        };
        // Made first: dropped while it waits, it leaves nothing behind.
        let mut turn = Turn {
            turns: Arc::clone(self),
            holder,
            permit: None,
        };
        match tokio::time::timeout(self.patience, line.acquire_owned()).await {
            Ok(Ok(permit)) => {
                turn.permit = Some(permit);
                Ok(turn)
            }
            _ => Err(FrontError::Overloaded),
        }
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<Holder, Arc<Semaphore>>> {
        self.by_holder
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut lines = self.turns.lines();
        // Permits and those who wait hold the line as well.
        let is_last = |line: &Arc<Semaphore>| Arc::strong_count(line) == 1;
        if lines.get(&self.holder).is_some_and(is_last) {
            lines.remove(&self.holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_holder_waits_for_itself_and_for_no_other() {
        let turns = Arc::new(Turns::default());
        let (one, other) = (Holder::Account(1), Holder::Account(2));
        let mut taken = Vec::new();
        for _ in 0..MOST {
            taken.push(turns.take(one).await.unwrap());
        }
        let soon = Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, turns.take(one)).await.is_err());
        assert!(turns.take(other).await.is_ok());
        let (next, ()) = tokio::join!(turns.take(one), async { drop(taken.pop()) });
        assert!(next.is_ok());
        drop((taken, next));
        assert!(turns.lines().is_empty());
    }
}
