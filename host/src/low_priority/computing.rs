//! The computing of one request: with which priority, and how long it has taken.
//!
//! Shared by the queue that admits the request and the instance that computes. Must not know what is computed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Held by both.
#[derive(Debug, Clone)]
pub(crate) struct Computing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    has_low_priority: bool,
    /// Processor time, in nanoseconds.
    used: AtomicU64,
}

impl Computing {
    /// With low priority, or with the ordinary one, which it keeps however long it takes.
    pub(crate) fn new(has_low_priority: bool) -> Self {
        Self(Arc::new(Inner {
            has_low_priority,
            used: AtomicU64::new(0),
        }))
    }

    pub(crate) fn has_low_priority(&self) -> bool {
        self.0.has_low_priority
    }

    /// Adds processor time.
    pub(crate) fn add(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.0.used.fetch_add(nanos, Relaxed);
    }

    /// The processor time so far.
    pub(crate) fn used(&self) -> Duration {
        Duration::from_nanos(self.0.used.load(Relaxed))
    }
}
