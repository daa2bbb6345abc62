//! The bytes that clients make the server hold: bodies that arrive, answers that are not yet read.
//!
//! Owns one count for all and one for each account or address, and the waiting for room. What is
//! counted, and how large the budget is, is decided elsewhere.

use super::error::FrontError;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Whose bytes they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    /// An account, by its id.
    Account(i64),
    /// An address, of requests whose account is not known.
    Address(u128),
}

/// Bytes that may be held at once.
pub(super) struct Budget {
    total: u64,
    /// Of one holder.
    share: u64,
    held: Mutex<Count>,
    freed: Notify,
}

#[derive(Default)]
struct Count {
    all: u64,
    by_holder: HashMap<Holder, u64>,
}

/// Bytes that are held; given back when it is dropped.
pub(super) struct Held {
    budget: Arc<Budget>,
    holder: Holder,
    bytes: u64,
}

impl Budget {
    /// A budget of which one holder may have a quarter.
    pub(super) fn new(total: u64) -> Arc<Self> {
        Arc::new(Self {
            total,
            share: total / 4,
            held: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Waits until there is room for `bytes`, and takes it.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] after `patience`. More than a share never fits.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        holder: Holder,
        bytes: u64,
        patience: Duration,
    ) -> Result<Held, FrontError> {
        // Looked at and taken under one lock, or two would take the same room.
        self.wait(patience, |count| {
            let fits = self.fits(count, holder, bytes);
            if fits {
                count.add(holder, bytes);
            }
            fits
        })
        .await?;
        Ok(self.held_by(holder, bytes))
    }

    /// Waits while the holder, or all of them together, hold all that they may.
    ///
    /// # Errors
    ///
    /// [`FrontError::Overloaded`] after `patience`.
    pub(super) async fn admit(&self, holder: Holder, patience: Duration) -> Result<(), FrontError> {
        self.wait(patience, |count| self.fits(count, holder, 1))
            .await
    }

    /// Counts bytes that are there already.
    pub(super) fn take(self: &Arc<Self>, holder: Holder, bytes: u64) -> Held {
        self.count().add(holder, bytes);
        self.held_by(holder, bytes)
    }

    fn held_by(self: &Arc<Self>, holder: Holder, bytes: u64) -> Held {
        Held {
            budget: Arc::clone(self),
            holder,
            bytes,
        }
    }

    fn fits(&self, count: &Count, holder: Holder, bytes: u64) -> bool {
        let own = count.by_holder.get(&holder).copied().unwrap_or_default();
        count.all + bytes <= self.total && own + bytes <= self.share
    }

    async fn wait(
        &self,
        patience: Duration,
        mut is_met: impl FnMut(&mut Count) -> bool,
    ) -> Result<(), FrontError> {
        if is_met(&mut self.count()) {
            return Ok(());
        }
        let waiting = async {
            loop {
                // Listens before it looks, so that nothing is missed in between.
                let mut freed = std::pin::pin!(self.freed.notified());
                freed.as_mut().enable();
                if is_met(&mut self.count()) {
                    return;
                }
                freed.await;
            }
        };
        tokio::time::timeout(patience, waiting)
            .await
            .map_err(|_| FrontError::Overloaded)
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Count {
    fn add(&mut self, holder: Holder, bytes: u64) {
        self.all += bytes;
        *self.by_holder.entry(holder).or_default() += bytes;
    }
}

impl Held {
    /// Bytes that are held for as long as anything refers to them.
    pub(super) fn around(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Counted { bytes, _held: self })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut count = self.budget.count();
        count.all = count.all.saturating_sub(self.bytes);
        if let Some(own) = count.by_holder.get_mut(&self.holder) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                count.by_holder.remove(&self.holder);
            }
        }
        drop(count);
        self.budget.freed.notify_waiters();
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

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_holder_has_a_share_and_others_have_theirs() {
        let budget = Budget::new(400);
        let first = budget.reserve(Holder::Account(1), 100, SOON).await.unwrap();
        assert!(budget.reserve(Holder::Account(1), 1, SOON).await.is_err());
        assert!(budget.admit(Holder::Account(1), SOON).await.is_err());
        let other = budget.reserve(Holder::Address(1), 100, SOON).await;
        assert!(other.is_ok());
        drop(first);
        assert!(budget.admit(Holder::Account(1), SOON).await.is_ok());
    }

    #[tokio::test]
    async fn what_does_not_fit_waits_for_room() {
        let budget = Budget::new(400);
        let taken = budget.take(Holder::Account(1), 400);
        let late = Duration::from_secs(20);
        let waiting = budget.reserve(Holder::Account(2), 50, late);
        let freeing = async {
            tokio::time::sleep(SOON).await;
            drop(taken);
        };
        let (reserved, ()) = tokio::join!(waiting, freeing);
        assert!(reserved.is_ok());
    }

    #[test]
    fn an_answer_is_held_until_its_last_part_is_gone() {
        let budget = Budget::new(400);
        let held = budget.take(Holder::Account(1), 100);
        let whole = held.around(Bytes::from_static(b"answer"));
        let part = whole.slice(2..);
        drop(whole);
        assert_eq!(budget.count().all, 100);
        drop(part);
        assert_eq!(budget.count().all, 0);
        assert!(budget.count().by_holder.is_empty());
    }
}
