//! The minimum transfer rate of a body.
//!
//! Limits progress instead of total time: a large file over a slow connection may take long, but a
//! client that stops reading or writing is disconnected. The rule is the same in both directions.

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
    /// A transfer that begins at `now` and is checked at the end of every `window`.
    pub(super) fn new(window: Duration, now: Instant) -> Self {
        Self {
            window,
            ends: now + window,
            moved: 0,
        }
    }

    /// The time of the next check.
    pub(super) fn judged_at(&self) -> Instant {
        self.ends
    }

    /// Counts transferred bytes.
    pub(super) fn moved(&mut self, bytes: usize) {
        self.moved += bytes as u64;
    }

    /// Whether the transfer may continue; always true before the end of a window.
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
