//! How long a group stays open: for transactions that are queued, and for transactions that are likely to arrive soon.
//!
//! While transactions are queued, a flush delays all of them, so a group stays open several times as long as a flush
//! takes. Without a queue: clients that were answered together mostly return together, a moment after the queue was
//! empty. So a group without a queue stays open until it has as many members as the last group had, plus the
//! transactions that waited at its end, but at most as long as the last flush took, so that no transaction waits more
//! than twice as long. A client that writes alone never waits. `writer.rs` closes groups.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A group is open this many times as long as a flush takes, while transactions are queued: so the writer spends at most
/// a fifth of its time on flushes, where the disk flushes in five milliseconds or less.
const FLUSHES: u32 = 4;

/// How long a group stays open while transactions are queued: [`FLUSHES`] times the duration of the last flush, at
/// least `least` and at most ten times that.
pub(super) fn window(last_flush: Duration, least: Duration) -> Duration {
    (last_flush * FLUSHES).clamp(least, least * 10)
}

/// What the last group says about the next.
#[derive(Debug)]
pub(super) struct GroupWindow {
    /// Transactions that are expected to share the next group.
    expected: AtomicUsize,
    /// Longest time that a group stays open without a queue.
    most: Duration,
}

impl GroupWindow {
    /// `most`: the longest time that a group stays open without a queue.
    pub(super) fn new(most: Duration) -> Self {
        Self {
            expected: AtomicUsize::new(1),
            most,
        }
    }

    /// A group has ended while `waiting` transactions were queued.
    pub(super) fn group_ended(&self, members: usize, waiting: usize) {
        self.expected
            .store(members.saturating_add(waiting), Ordering::Relaxed);
    }

    /// Until when a group without a queue stays open; `None` means that it is closed now. `flush` is the duration of
    /// the last flush.
    pub(super) fn open_until(
        &self,
        members: usize,
        opened_at: Instant,
        flush: Duration,
    ) -> Option<Instant> {
        if members >= self.expected.load(Ordering::Relaxed) {
            return None;
        }
        let until = opened_at + flush.min(self.most);
        (Instant::now() < until).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_queue_waits_longer_where_flushes_are_slow() {
        let milliseconds = Duration::from_millis;
        for (flush, window_in_ms) in [(0, 2), (1, 4), (3, 12), (5, 20), (900, 20)] {
            let found = window(milliseconds(flush), milliseconds(2));
            assert_eq!(found, milliseconds(window_in_ms), "{flush} ms");
        }
    }

    #[test]
    fn a_group_waits_for_as_many_as_there_were() {
        let window = GroupWindow::new(LONG);
        let now = Instant::now();
        assert_eq!(window.open_until(1, now, LONG), None, "alone");
        window.group_ended(2, 3);
        assert_eq!(window.open_until(4, now, LONG), Some(now + LONG));
        assert_eq!(window.open_until(5, now, LONG), None);
        window.group_ended(1, 0);
        assert_eq!(window.open_until(1, now, LONG), None);
    }

    #[test]
    fn a_group_waits_no_longer_than_a_flush_takes() {
        let window = GroupWindow::new(LONG);
        window.group_ended(9, 0);
        let now = Instant::now();
        let second = Duration::from_secs(1);
        assert_eq!(window.open_until(1, now, second), Some(now + second));
        assert_eq!(window.open_until(1, now, LONG * 2), Some(now + LONG));
        assert_eq!(window.open_until(1, now - second, second), None);
        assert_eq!(window.open_until(1, now, Duration::ZERO), None);
    }
}
