//! Requests with a body that a component takes only a few at a time, since each may need much memory.
//!
//! One account or address has one of them at once, so that the others wait for one of its requests
//! and not for all of them. Must not know what a body is for.

use super::budget::Holder;
use super::error::FrontError;
use super::turns::{Turn, Turns};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest wait: those who send large bodies wait for longer anyway.
const PATIENCE: Duration = Duration::from_secs(30);

/// The line of one component.
pub(super) struct Bodies {
    of_one: Arc<Turns>,
    places: Arc<Semaphore>,
}

/// A place, given back when it is dropped.
pub(super) struct BodyPlace {
    _turn: Turn,
    _place: OwnedSemaphorePermit,
}

impl Bodies {
    /// So many at once.
    pub(super) fn new(at_once: usize) -> Self {
        Self {
            of_one: Arc::new(Turns::of(1, PATIENCE)),
            places: Arc::new(Semaphore::new(at_once)),
        }
    }

    /// Waits for a place, first come, first served.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when that takes too long.
    pub(super) async fn enter(&self, holder: Holder) -> Result<BodyPlace, FrontError> {
        let turn = self.of_one.take(holder).await?;
        let place = Arc::clone(&self.places).acquire_owned();
        match tokio::time::timeout(PATIENCE, place).await {
            Ok(Ok(place)) => Ok(BodyPlace {
                _turn: turn,
                _place: place,
            }),
            _ => Err(FrontError::Overloaded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    async fn waits(bodies: &Bodies, holder: Holder) -> bool {
        tokio::time::timeout(SOON, bodies.enter(holder))
            .await
            .is_err()
    }

    #[tokio::test]
    async fn one_holder_has_one_place_and_all_together_have_theirs() {
        let bodies = Bodies::new(2);
        let [one, two, three] = [1, 2, 3].map(Holder::Account);
        let first = bodies.enter(one).await.unwrap();
        assert!(waits(&bodies, one).await);
        let second = bodies.enter(two).await.unwrap();
        assert!(waits(&bodies, three).await);
        drop(first);
        assert!(!waits(&bodies, three).await);
        drop(second);
    }
}
