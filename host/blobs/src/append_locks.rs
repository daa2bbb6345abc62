//! Which blobs a part is being appended to: one at a time for each, within this process.
//!
//! Independent of where blobs are stored: the store itself excludes other nodes.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key::BlobKey;

/// The keys of blobs to which a part is being appended.
#[derive(Debug, Default)]
pub(super) struct AppendLocks(Mutex<HashSet<BlobKey>>);

/// Exclusive permission to append to a blob, released when it is dropped.
pub(super) struct AppendLock {
    locks: Arc<AppendLocks>,
    key: BlobKey,
}

impl AppendLocks {
    /// Permission to append to a blob; `None` while another request has it.
    pub(super) fn take(self: &Arc<Self>, key: &BlobKey) -> Option<AppendLock> {
        self.keys().insert(key.clone()).then(|| AppendLock {
            locks: Arc::clone(self),
            key: key.clone(),
        })
    }

    fn keys(&self) -> MutexGuard<'_, HashSet<BlobKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AppendLock {
    fn drop(&mut self) {
        self.locks.keys().remove(&self.key);
    }
}
