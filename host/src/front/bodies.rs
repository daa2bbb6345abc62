//! Lines before what only a few requests may have at once, since each needs much memory or
//! computes for long: components that take large bodies, and instances that hash passwords.
//!
//! One account or address has one place at once, so that the others wait for one of its requests
//! and not for all of them. Must not know what a place is for.

use super::budget::Holder;
use super::error::FrontError;
use super::turns::{Turn, Turns};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Longest wait: those who send large bodies wait for longer anyway.
const PATIENCE: Duration = Duration::from_secs(30);
/// Accounts and addresses that wait at once; more are refused.
pub(crate) const LENGTH: usize = 256;

/// One line.
pub(super) struct Bodies {
    of_one: Arc<Turns>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
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
            waiting: AtomicUsize::new(0),
        }
    }

    /// Waits for a place, first come, first served.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] when that takes too long, or too many wait.
    pub(super) async fn enter(&self, holder: Holder) -> Result<BodyPlace, FrontError> {
        let turn = self.of_one.take(holder).await?;
        let _waiting = Waiting::begin(&self.waiting)?;
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

/// Counts one who waits while it exists.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Result<Self, FrontError> {
        let waiting = Self(count);
        match count.fetch_add(1, Ordering::Relaxed) < LENGTH {
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

    #[tokio::test]
    async fn the_line_is_bounded() {
        let bodies = Arc::new(Bodies::new(1));
        let place = bodies.enter(Holder::Account(0)).await.unwrap();
        let enter = |number: usize| {
            let bodies = Arc::clone(&bodies);
            let holder = Holder::Account(number as i64);
            tokio::spawn(async move { bodies.enter(holder).await.is_ok() })
        };
        let line: Vec<_> = (1..=LENGTH).map(enter).collect();
        while bodies.waiting.load(Ordering::Relaxed) < LENGTH {
            tokio::task::yield_now().await;
        }
        let one_more = bodies.enter(Holder::Account(-1)).await;
        assert_eq!(one_more.err(), Some(FrontError::Overloaded));
        drop(place);
        for waiting in line {
            assert!(waiting.await.unwrap());
        }
        assert_eq!(bodies.waiting.load(Ordering::Relaxed), 0);
    }
}
