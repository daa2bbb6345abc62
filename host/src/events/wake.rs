//! A bell for the thread that follows the log. Rings that come while it is busy are one ring.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The bell.
#[derive(Debug, Default)]
pub(super) struct Wake {
    rung: Mutex<bool>,
    bell: Condvar,
}

impl Wake {
    pub(super) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_one();
    }

    /// Waits for a ring, at most this long; says whether there was one.
    pub(super) fn wait(&self, at_most: Duration) -> bool {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut rung, _) = self
            .bell
            .wait_timeout_while(rung, at_most, |rung| !*rung)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rung)
    }
}
