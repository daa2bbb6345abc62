//! The queues that the service knows: those in the main database, including ended ones that are not
//! yet deleted from it.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use spindle_domain::UserId;
use spindle_store::event_delivery::QueueFingerprint;

use super::queue::Queue;

/// Queues by id.
#[derive(Debug, Default)]
pub(super) struct Table {
    queues: RwLock<HashMap<Arc<str>, Arc<Queue>>>,
    /// Number of the newest queue that was searched for.
    pub(super) newest: AtomicI64,
}

impl Table {
    pub(super) fn get(&self, id: &str) -> Option<Arc<Queue>> {
        self.read().get(id).cloned()
    }

    /// Adds a queue, or returns the existing one.
    pub(super) fn insert(&self, queue: Queue) -> Arc<Queue> {
        let mut queues = self.write();
        let id = Arc::clone(&queue.id);
        Arc::clone(queues.entry(id).or_insert_with(|| Arc::new(queue)))
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<Queue>> {
        self.write().remove(id)
    }

    pub(super) fn all(&self) -> Vec<Arc<Queue>> {
        self.read().values().cloned().collect()
    }

    pub(super) fn of_users(&self, users: &BTreeSet<UserId>) -> Vec<Arc<Queue>> {
        let queues = self.read();
        let own = queues
            .values()
            .filter(|queue| users.contains(&queue.user_id));
        own.cloned().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.read().len()
    }

    /// Count and sum of the queues' numbers, to compare with those of the database.
    pub(super) fn fingerprint(&self) -> QueueFingerprint {
        let queues = self.read();
        QueueFingerprint {
            count: i64::try_from(queues.len()).unwrap_or(i64::MAX),
            sum: queues.values().map(|queue| queue.number).sum(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<Arc<str>, Arc<Queue>>> {
        self.queues.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<Arc<str>, Arc<Queue>>> {
        self.queues.write().unwrap_or_else(PoisonError::into_inner)
    }
}
