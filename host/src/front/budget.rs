//! The budget for bytes in transfer: request bodies being received and answers not yet read.
//!
//! Owns the share of the memory budget that each account or address may use for them, and the
//! waiting for free memory. Must not decide what is counted.

use super::error::FrontError;
use crate::memory::{Memory, Purpose};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(super) use crate::memory::Client;

/// The bytes in transfer, by client.
pub(super) struct Budget {
    memory: Arc<Memory>,
    by_client: Mutex<HashMap<Client, u64>>,
}

/// A reservation of bytes, returned to the budget when it is dropped.
pub(super) struct Held {
    budget: Arc<Budget>,
    holder: Client,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(memory: Arc<Memory>) -> Arc<Self> {
        Arc::new(Self {
            memory,
            by_client: Mutex::default(),
        })
    }

    /// Waits until `bytes` fit, and reserves them. A reservation larger than the share of one client
    /// is granted when that client holds nothing else.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] after `timeout`.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        holder: Client,
        bytes: u64,
        timeout: Duration,
    ) -> Result<Held, FrontError> {
        // Checked and reserved under one lock, so that two requests cannot get the same memory.
        self.wait(timeout, |counts| self.take(counts, holder, bytes))
            .await?;
        Ok(self.held_for(holder, bytes))
    }

    /// The same without waiting.
    pub(super) fn try_reserve(self: &Arc<Self>, holder: Client, bytes: u64) -> Option<Held> {
        let is_taken = self.take(&mut self.counts(), holder, bytes);
        is_taken.then(|| self.held_for(holder, bytes))
    }

    /// Takes `bytes` for a client, if they fit.
    fn take(&self, counts: &mut HashMap<Client, u64>, holder: Client, bytes: u64) -> bool {
        let before = counts.get(&holder).copied().unwrap_or_default();
        let own = before.saturating_add(bytes);
        let is_within_share = before == 0 || own <= self.memory.shares().transfers_of_one;
        let taken = is_within_share && self.memory.take_body(own, bytes);
        if taken {
            counts.insert(holder, own);
        }
        taken
    }

    /// Waits while the client has used up its share, or while there is no memory for its answer. A
    /// client that holds nothing is admitted even when others use all memory meant for answers.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] after `timeout`.
    pub(super) async fn admit(&self, holder: Client, timeout: Duration) -> Result<(), FrontError> {
        let memory = &self.memory;
        let shares = memory.shares();
        self.wait(timeout, |counts| match counts.get(&holder) {
            None => memory.held() < shares.given,
            Some(own) => {
                *own < shares.transfers_of_one
                    && memory.held_for(Purpose::Transfers) < shares.transfers
                    && memory.held() < shares.given
            }
        })
        .await
    }

    /// Counts bytes that are already in memory, over the limit if necessary.
    pub(super) fn count(self: &Arc<Self>, holder: Client, bytes: u64) -> Held {
        self.add(holder, bytes);
        self.held_for(holder, bytes)
    }

    fn add(&self, holder: Client, bytes: u64) {
        *self.counts().entry(holder).or_default() += bytes;
        self.memory.add(Purpose::Transfers, bytes);
    }

    fn held_for(self: &Arc<Self>, holder: Client, bytes: u64) -> Held {
        Held {
            budget: Arc::clone(self),
            holder,
            bytes,
        }
    }

    async fn wait(
        &self,
        timeout: Duration,
        mut is_met: impl FnMut(&mut HashMap<Client, u64>) -> bool,
    ) -> Result<(), FrontError> {
        if is_met(&mut self.counts()) {
            return Ok(());
        }
        let waiting = async {
            loop {
                // Subscribes before the check, so that no notification is missed in between.
                let mut freed = std::pin::pin!(self.memory.freed().notified());
                freed.as_mut().enable();
                if is_met(&mut self.counts()) {
                    return;
                }
                freed.await;
            }
        };
        tokio::time::timeout(timeout, waiting)
            .await
            .map_err(|_| FrontError::Overloaded)
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Client, u64>> {
        self.by_client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Ties the reservation to `bytes`: it ends with their last reference.
    pub(super) fn wrap(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Counted { bytes, _held: self })
    }

    /// The same of at least `bytes`, over the limit if necessary.
    pub(super) fn of_at_least(mut self, bytes: u64) -> Self {
        let more = bytes.saturating_sub(self.bytes);
        self.budget.add(self.holder, more);
        self.bytes += more;
        self
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut counts = self.budget.counts();
        if let Some(own) = counts.get_mut(&self.holder) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                counts.remove(&self.holder);
            }
        }
        drop(counts);
        self.budget.memory.give_back(Purpose::Transfers, self.bytes);
    }
}

struct Counted {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn each_client_has_a_share() {
        let budget = Budget::new(Memory::of(800));
        let first = budget
            .reserve(Client::Account(1), 100, SHORT)
            .await
            .unwrap();
        assert!(budget.reserve(Client::Account(1), 1, SHORT).await.is_err());
        assert!(budget.admit(Client::Account(1), SHORT).await.is_err());
        let other = budget.reserve(Client::Address(1), 100, SHORT).await;
        assert!(other.is_ok());
        drop(first);
        assert!(budget.admit(Client::Account(1), SHORT).await.is_ok());
    }

    #[tokio::test]
    async fn what_does_not_fit_waits_for_room() {
        let budget = Budget::new(Memory::of(800));
        let taken = budget.count(Client::Account(1), 800);
        let late = Duration::from_secs(20);
        let waiting = budget.reserve(Client::Account(2), 50, late);
        let freeing = async {
            tokio::time::sleep(SHORT).await;
            drop(taken);
        };
        let (reserved, ()) = tokio::join!(waiting, freeing);
        assert!(reserved.is_ok());
    }

    #[tokio::test]
    async fn what_is_larger_than_a_share_comes_alone() {
        let budget = Budget::new(Memory::of(800));
        let large = budget
            .reserve(Client::Account(1), 400, SHORT)
            .await
            .unwrap();
        assert!(budget.reserve(Client::Account(1), 1, SHORT).await.is_err());
        drop(large);
        let small = budget.reserve(Client::Account(1), 1, SHORT).await.unwrap();
        assert!(
            budget
                .reserve(Client::Account(1), 300, SHORT)
                .await
                .is_err()
        );
        drop(small);
    }

    #[tokio::test]
    async fn who_holds_nothing_is_served_while_others_hold_everything() {
        let budget = Budget::new(Memory::of(800));
        let _taken = budget.count(Client::Account(1), 700);
        let _little = budget.count(Client::Account(2), 1);
        assert!(budget.admit(Client::Account(2), SHORT).await.is_err());
        assert!(budget.admit(Client::Account(3), SHORT).await.is_ok());
        let body = budget.reserve(Client::Account(3), 50, SHORT).await;
        assert!(body.is_ok());
        let _more = budget.count(Client::Account(1), 100);
        assert!(budget.admit(Client::Account(3), SHORT).await.is_err());
    }

    #[test]
    fn an_answer_is_held_until_its_last_part_is_gone() {
        let memory = Memory::of(800);
        let budget = Budget::new(Arc::clone(&memory));
        let held = budget.count(Client::Account(1), 100);
        let whole = held.wrap(Bytes::from_static(b"answer"));
        let part = whole.slice(2..);
        drop(whole);
        assert_eq!(memory.held(), 100);
        drop(part);
        assert_eq!(memory.held(), 0);
        assert!(budget.counts().is_empty());
    }
}
