//! How slowly a body may be transferred.
//!
//! What counts is progress, not the clock: a large file over a slow line takes its time, and a
//! client that has stopped reading or writing is let go. The same rule holds for both directions.

use std::time::{Duration, Instant};

/// Bytes that a client must transfer in one window: a kilobyte a second.
const LEAST_PER_SECOND: u64 = 1 << 10;

/// The progress of one transfer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transfer {
    window: Duration,
    ends: Instant,
    moved: u64,
}

impl Transfer {
    /// A transfer that begins at `now` and is judged once every `window`.
    pub(super) fn new(window: Duration, now: Instant) -> Self {
        Self {
            window,
            ends: now + window,
            moved: 0,
        }
    }

    /// When it is to be judged next.
    pub(super) fn judged_at(&self) -> Instant {
        self.ends
    }

    /// Notes that so many bytes were transferred.
    pub(super) fn moved(&mut self, bytes: usize) {
        self.moved += bytes as u64;
    }

    /// Whether it may go on. Before the end of a window it always may.
    pub(super) fn judge(&mut self, now: Instant) -> bool {
        if now < self.ends {
            return true;
        }
        let is_alive = self.moved >= LEAST_PER_SECOND * self.window.as_secs().max(1);
        *self = Self::new(self.window, now);
        is_alive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_and_not_the_time() {
        let window = Duration::from_secs(30);
        let start = Instant::now();
        let mut transfer = Transfer::new(window, start);
        for number in 1..100 {
            transfer.moved(30 << 10);
            assert!(transfer.judge(start + window * number));
        }
        transfer.moved((30 << 10) - 1);
        assert!(transfer.judge(start + window * 100 - Duration::from_secs(1)));
        assert!(!transfer.judge(start + window * 100));
    }
}
