//! The budget of anonymous memory: its shares, and the reservations of each purpose.
//!
//! Owns the counts; `shares` says how the budget is divided. A reservation costs one or two atomic
//! operations and never waits. Callers decide whether to wait, and how to answer a refusal.

mod shares;
#[cfg(test)]
mod tests;

pub use shares::{DEFAULT, LEAST, Shares};

use shares::{MARGIN, PROGRAM};
use spindle_wire::internal::Account;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::Notify;

/// Instances up to this size may use all that is left; larger ones leave a quarter to them.
pub const MODEST_INSTANCE: u64 = 8 << 20;

/// Data that is collected piece by piece may use all free memory up to this size; larger data
/// leaves a quarter free.
pub const MODEST_COLLECTION: u64 = 256 << 10;

/// A client may use all free memory for bodies of this size together.
pub const MODEST_BODY: u64 = 64 << 10;

/// The client that memory is reserved for, or for which work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Client {
    /// An account, by its id.
    Account(i64),
    /// All bots of one owner together, by the owner's id.
    BotsOf(i64),
    /// An address, of requests whose account is not known.
    Address(u128),
}

impl From<Account> for Client {
    fn from(account: Account) -> Self {
        match account.owner_id {
            Some(owner_id) => Self::BotsOf(owner_id),
            None => Self::Account(account.user_id),
        }
    }
}

/// The purpose of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Connections and what hyper keeps for them.
    Connections,
    /// Bodies that arrive, and answers: while they are collected, and until they are read.
    Transfers,
    /// Rows of statements on their way into instances.
    Results,
    /// Registrations of event queues.
    Queues,
    /// Linear memory of instances.
    Instances,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Connections,
        Self::Transfers,
        Self::Results,
        Self::Queues,
        Self::Instances,
    ];

    /// As metrics name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::Transfers => "transfers",
            Self::Results => "results",
            Self::Queues => "queues",
            Self::Instances => "instances",
        }
    }
}

/// The budget of one process, and how much of it is held.
#[derive(Debug)]
pub struct Memory {
    shares: Shares,
    all: AtomicU64,
    connections: AtomicU64,
    transfers: AtomicU64,
    results: AtomicU64,
    queues: AtomicU64,
    instances: AtomicU64,
    released: AtomicU64,
    /// What the program takes beyond its own share; reservations may take so much less.
    excess: AtomicU64,
    freed: Notify,
}

/// Memory that is held; given back when it is dropped.
#[derive(Debug)]
pub struct Held {
    memory: Arc<Memory>,
    purpose: Purpose,
    bytes: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(Shares::of(DEFAULT))
    }
}

impl Memory {
    /// Memory of which nothing is held yet.
    #[must_use]
    pub fn new(shares: Shares) -> Self {
        Self {
            shares,
            all: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            transfers: AtomicU64::new(0),
            results: AtomicU64::new(0),
            queues: AtomicU64::new(0),
            instances: AtomicU64::new(0),
            released: AtomicU64::new(0),
            excess: AtomicU64::new(0),
            freed: Notify::new(),
        }
    }

    /// How it is divided.
    #[must_use]
    pub fn shares(&self) -> Shares {
        self.shares
    }

    /// Bytes that are held for `purpose`.
    #[must_use]
    pub fn held_for(&self, purpose: Purpose) -> u64 {
        self.count(purpose).load(Relaxed)
    }

    /// Bytes that are held for anything.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.all.load(Relaxed)
    }

    /// Compares the anonymous memory of the process with what is held, and lets reservations take less where the program's
    /// own memory is more than its share: pages that allocators keep, caches, what is not counted. Returns that
    /// excess in bytes. It falls slowly, since what is held may not have been touched yet.
    pub(crate) fn measure(&self, anonymous: u64) -> u64 {
        let own = anonymous.saturating_sub(self.held());
        let share = (PROGRAM + self.shares.ring).saturating_sub(MARGIN);
        // Something is always left for those who ask for little.
        let excess = own.saturating_sub(share).min(self.shares.given / 2);
        let before = self.excess.load(Relaxed);
        let excess = excess.max(before - before / 8);
        self.excess.store(excess, Relaxed);
        excess
    }

    /// The result of the last measurement.
    pub(crate) fn excess(&self) -> u64 {
        self.excess.load(Relaxed)
    }

    /// Bytes that have been given back so far.
    pub(crate) fn released(&self) -> u64 {
        self.released.load(Relaxed)
    }

    /// Holds `bytes` if there is room for them.
    pub fn try_hold(self: &Arc<Self>, purpose: Purpose, bytes: u64) -> Option<Held> {
        self.take(purpose, bytes).then(|| Held {
            memory: Arc::clone(self),
            purpose,
            bytes,
        })
    }

    /// Takes `bytes` for a purpose if there is room for them; they are to be given back.
    pub(crate) fn take(&self, purpose: Purpose, bytes: u64) -> bool {
        let Shares { given, kept, .. } = self.shares;
        let (most, most_of_all) = match purpose {
            Purpose::Connections => (given - kept, given),
            Purpose::Transfers => (self.shares.transfers, given - kept),
            Purpose::Queues => (self.shares.queues, given),
            Purpose::Results | Purpose::Instances => (given, given),
        };
        if self.held_for(purpose).saturating_add(bytes) > most {
            return false;
        }
        self.take_up_to(most_of_all, purpose, bytes)
    }

    /// Holds nothing yet, for something whose size shows only while it comes.
    pub(crate) fn collect(self: &Arc<Self>, purpose: Purpose) -> Held {
        Held {
            memory: Arc::clone(self),
            purpose,
            bytes: 0,
        }
    }

    /// Bytes that are left to instances that are not modest.
    pub(crate) fn left_for_large_instances(&self) -> u64 {
        let Shares { given, kept, .. } = self.shares;
        (given - kept).saturating_sub(self.held() + self.excess())
    }

    /// Takes a body of a client that then holds `own` in all: what is modest also where the others have all that is meant for
    /// bodies.
    pub(crate) fn take_body(&self, own: u64, bytes: u64) -> bool {
        self.take(Purpose::Transfers, bytes)
            || own <= MODEST_BODY && self.take_up_to(self.shares.given, Purpose::Transfers, bytes)
    }

    /// Takes what an instance grows by, to `size`, if there is room for it.
    pub(crate) fn take_for_instance(&self, size: u64, bytes: u64) -> bool {
        let Shares { given, kept, .. } = self.shares;
        let most = if size > MODEST_INSTANCE {
            given - kept
        } else {
            given
        };
        self.take_up_to(most, Purpose::Instances, bytes)
    }

    fn take_up_to(&self, most: u64, purpose: Purpose, bytes: u64) -> bool {
        let most = most.saturating_sub(self.excess());
        let more = |all: u64| all.checked_add(bytes).filter(|all| *all <= most);
        let taken = self.all.fetch_update(Relaxed, Relaxed, more).is_ok();
        if taken {
            self.count(purpose).fetch_add(bytes, Relaxed);
        }
        taken
    }

    /// Counts bytes that are there already, whether there is room or not.
    pub(crate) fn add(&self, purpose: Purpose, bytes: u64) {
        self.all.fetch_add(bytes, Relaxed);
        self.count(purpose).fetch_add(bytes, Relaxed);
    }

    /// Gives back what was taken or added.
    pub(crate) fn give_back(&self, purpose: Purpose, bytes: u64) {
        self.count(purpose).fetch_sub(bytes, Relaxed);
        self.all.fetch_sub(bytes, Relaxed);
        self.released.fetch_add(bytes, Relaxed);
        self.freed.notify_waiters();
    }

    /// Wakes everything that waits for room, to look again.
    pub(crate) fn look_again(&self) {
        self.freed.notify_waiters();
    }

    /// Is notified whenever something is given back.
    pub(crate) fn freed(&self) -> &Notify {
        &self.freed
    }

    fn count(&self, purpose: Purpose) -> &AtomicU64 {
        match purpose {
            Purpose::Connections => &self.connections,
            Purpose::Transfers => &self.transfers,
            Purpose::Results => &self.results,
            Purpose::Queues => &self.queues,
            Purpose::Instances => &self.instances,
        }
    }
}

impl Held {
    /// Takes `bytes` more, if there is room for them.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: u64) -> bool {
        let Shares { given, kept, .. } = self.memory.shares;
        let size = self.bytes.saturating_add(bytes);
        let most = if size > MODEST_COLLECTION {
            given - kept
        } else {
            given
        };
        let taken = self.memory.take_up_to(most, self.purpose, bytes);
        if taken {
            self.bytes = size;
        }
        taken
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.memory.give_back(self.purpose, self.bytes);
        }
    }
}

#[cfg(test)]
impl Memory {
    /// So much for everything but the program and the ring.
    pub(crate) fn of(given: u64) -> Arc<Self> {
        Arc::new(Self::new(Shares::given(given, 0)))
    }
}
