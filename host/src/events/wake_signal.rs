//! Wakes the delivery thread. Notifications that arrive while it is busy are merged into one.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A signal that one thread waits for.
#[derive(Debug, Default)]
pub(super) struct WakeSignal {
    notified: Mutex<bool>,
    condition: Condvar,
}

impl WakeSignal {
    pub(super) fn notify(&self) {
        *self.notified.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.condition.notify_one();
    }

    /// Waits for a notification, at most this long; returns whether there was one.
    pub(super) fn wait(&self, at_most: Duration) -> bool {
        let notified = self.notified.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut notified, _) = self
            .condition
            .wait_timeout_while(notified, at_most, |notified| !*notified)
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *notified)
    }
}
