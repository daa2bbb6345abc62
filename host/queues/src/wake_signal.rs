//! Wakes the delivery thread. Notifications that arrive while it is busy are merged into one.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A signal that one thread waits for.
#[derive(Debug, Default)]
pub(super) struct WakeSignal {
    state: Mutex<State>,
    condition: Condvar,
}

#[derive(Debug, Default)]
struct State {
    notified: bool,
    /// To wake a thread that does not wait would cost a system call.
    is_waiting: bool,
}

impl WakeSignal {
    pub(super) fn notify(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let was_notified = std::mem::replace(&mut state.notified, true);
        let wakes = state.is_waiting && !was_notified;
        drop(state);
        if wakes {
            self.condition.notify_one();
        }
    }

    /// Waits for a notification, at most this long; returns whether there was one.
    pub(super) fn wait(&self, at_most: Duration) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_waiting = true;
        let (mut state, _) = self
            .condition
            .wait_timeout_while(state, at_most, |state| !state.notified)
            .unwrap_or_else(PoisonError::into_inner);
        state.is_waiting = false;
        std::mem::take(&mut state.notified)
    }
}
