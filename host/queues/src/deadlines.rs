//! The heartbeat deadlines of waiting polls.
//!
//! A queue is in the heap at most once, however often it is polled: an entry that fires too early is
//! put back with the current deadline.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use super::queue::Queue;

/// Queues by deadline.
#[derive(Debug, Default)]
pub(super) struct Deadlines {
    heap: Mutex<BinaryHeap<Reverse<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    at: Duration,
    queue: Weak<Queue>,
}

impl Deadlines {
    pub(super) fn add(&self, at: Duration, queue: Weak<Queue>) {
        let mut heap = self.heap.lock().unwrap_or_else(PoisonError::into_inner);
        heap.push(Reverse(Entry { at, queue }));
    }

    /// Removes and returns the queues that are due at `now`.
    pub(super) fn due(&self, now: Duration) -> Vec<Weak<Queue>> {
        let mut heap = self.heap.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = Vec::new();
        while heap.peek().is_some_and(|Reverse(entry)| entry.at <= now) {
            if let Some(Reverse(entry)) = heap.pop() {
                due.push(entry.queue);
            }
        }
        due
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at)
    }
}
