//! Processor time for guests that compute for long, in slices of one epoch.
//!
//! A guest that has computed for an epoch takes a slice before it goes on; the clock of the engine hands
//! out one for each processor and epoch. So at most as many long computations run at once as there are
//! processors, in the order in which they asked, and threads stay free for short requests. Nothing is
//! held: a guest that waits for something else meanwhile takes no slice. Must not know what is computed.

use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::Semaphore;

/// The slices of one engine. Clones share them.
#[derive(Clone)]
pub(super) struct Slices {
    each_epoch: usize,
    ready: Arc<Semaphore>,
}

impl Slices {
    /// One for each processor of this machine.
    pub(super) fn of_this_machine() -> Self {
        Self::new(available_parallelism().map_or(1, usize::from))
    }

    fn new(each_epoch: usize) -> Self {
        Self {
            each_epoch,
            ready: Arc::new(Semaphore::new(each_epoch)),
        }
    }

    /// Hands out the slices of a new epoch; those that nobody has taken in the last one are lost.
    pub(super) fn refill(&self) {
        let missing = self
            .each_epoch
            .saturating_sub(self.ready.available_permits());
        self.ready.add_permits(missing);
    }

    /// Waits for a slice, in order of arrival, after other tasks of the thread have had their chance.
    pub(super) async fn take(self) {
        tokio::task::yield_now().await;
        if let Ok(slice) = self.ready.acquire().await {
            slice.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    #[tokio::test]
    async fn an_epoch_has_a_slice_for_each_processor_and_those_who_wait_come_first() {
        let slices = Slices::new(2);
        let takes = async |slices: &Slices| {
            let soon = Duration::from_millis(20);
            timeout(soon, slices.clone().take()).await.is_ok()
        };
        assert!(takes(&slices).await && takes(&slices).await);
        assert!(!takes(&slices).await);
        let mut first = tokio::spawn(slices.clone().take());
        assert!(
            timeout(Duration::from_millis(20), &mut first)
                .await
                .is_err()
        );
        // They do not add up.
        for _ in 0..3 {
            slices.refill();
        }
        first.await.unwrap();
        slices.refill();
        assert!(takes(&slices).await && takes(&slices).await && !takes(&slices).await);
    }
}
