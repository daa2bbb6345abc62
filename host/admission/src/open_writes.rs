//! Counts the write transactions that a guest has open, or waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many write transactions the connections of one guest have open. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct OpenWrites(Arc<AtomicUsize>);

/// An open write transaction, counted until it is dropped.
#[derive(Debug)]
pub struct OpenWrite(OpenWrites);

impl OpenWrites {
    /// Whether there is one, or one is waited for.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Counts one more until the result is dropped.
    pub fn begin(&self) -> OpenWrite {
        self.0.fetch_add(1, Ordering::Relaxed);
        OpenWrite(self.clone())
    }
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
