//! The budget of anonymous memory: how it is divided, and how much is reserved for each purpose and each client.
//!
//! Holding memory never waits; [`Memory::admits`] and [`Memory::freed`] are for callers that wait for room.

mod shares;
#[cfg(test)]
mod tests;

pub use shares::{DEFAULT, LEAST, Shares};

use bytes::Bytes;
use shares::{MARGIN, PROGRAM};
use spindle_wire::internal::Account;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

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

/// The purpose for which memory is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Connections and hyper's buffers.
    Connections,
    /// Request bodies and answers, from the first byte to the last.
    Transfers,
    /// Rows on their way into instances.
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

    /// Up to this size (of one result or instance, or of all transfers of one client) the part that is kept for small
    /// requests may be used as well.
    const fn modest(self) -> u64 {
        match self {
            Self::Transfers | Self::Results => 256 << 10,
            Self::Connections | Self::Queues => u64::MAX,
            Self::Instances => 8 << 20,
        }
    }

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

/// The budget of one process.
#[derive(Debug)]
pub struct Memory {
    shares: Shares,
    all: AtomicU64,
    by_purpose: [AtomicU64; Purpose::ALL.len()],
    /// Bytes in transfer, by client.
    clients: Mutex<HashMap<Client, u64>>,
    released: AtomicU64,
    /// By how much the program exceeds its own share; that much less can be held.
    excess: AtomicU64,
    freed: Notify,
}

/// Memory that is held until this is dropped.
#[derive(Debug)]
pub struct Held {
    memory: Arc<Memory>,
    purpose: Purpose,
    /// Of transfers: whose share it is.
    client: Option<Client>,
    bytes: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(Shares::of(DEFAULT))
    }
}

impl Memory {
    /// A budget of which nothing is held yet.
    #[must_use]
    pub fn new(shares: Shares) -> Self {
        Self {
            shares,
            all: AtomicU64::new(0),
            by_purpose: Default::default(),
            clients: Mutex::default(),
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

    /// Compares the anonymous memory of the process with the reservations. Where the program exceeds its own share
    /// (pages that allocators keep, caches, uncounted data), less can be held from now on. Returns that excess in
    /// bytes. It falls slowly, since held memory may not have been touched yet.
    pub(crate) fn measure(&self, anonymous: u64) -> u64 {
        let own = anonymous.saturating_sub(self.held());
        let share = (PROGRAM + self.shares.ring).saturating_sub(MARGIN);
        // Half stays usable.
        let excess = own.saturating_sub(share).min(self.shares.given / 2);
        let before = self.excess.load(Relaxed);
        let excess = excess.max(before - before / 8);
        self.excess.store(excess, Relaxed);
        excess
    }

    /// The result of the last measurement.
    pub fn excess(&self) -> u64 {
        self.excess.load(Relaxed)
    }

    /// Bytes that have been released so far.
    pub(crate) fn released(&self) -> u64 {
        self.released.load(Relaxed)
    }

    /// Is notified whenever something is released.
    pub(crate) fn freed(&self) -> &Notify {
        &self.freed
    }

    /// Holds `bytes` if there is room for them.
    pub fn try_hold(self: &Arc<Self>, purpose: Purpose, bytes: u64) -> Option<Held> {
        let mut held = self.hold_nothing(purpose);
        held.grow(bytes).then_some(held)
    }

    /// Holds nothing yet, for data whose size shows as it arrives.
    pub fn hold_nothing(self: &Arc<Self>, purpose: Purpose) -> Held {
        Held {
            memory: Arc::clone(self),
            purpose,
            client: None,
            bytes: 0,
        }
    }

    /// Holds `bytes` of a body or an answer of `client`, if they fit into its share and into the budget. One transfer
    /// that is larger than a share fits while the client holds nothing else.
    pub fn try_hold_transfer(self: &Arc<Self>, client: Client, bytes: u64) -> Option<Held> {
        // Checked and counted under one lock, so that two requests cannot get the same memory.
        let mut clients = self.clients();
        let before = clients.get(&client).copied().unwrap_or_default();
        let own = before.saturating_add(bytes);
        let is_within_share = before == 0 || own <= self.shares.transfers_of_one;
        if !is_within_share || !self.take(Purpose::Transfers, own, bytes) {
            return None;
        }
        clients.insert(client, own);
        Some(self.held_by(client, bytes))
    }

    /// Counts an answer of `client` that is in memory already, over the limit if necessary.
    pub fn hold_answer(self: &Arc<Self>, client: Client, bytes: u64) -> Held {
        *self.clients().entry(client).or_default() += bytes;
        self.add(Purpose::Transfers, bytes);
        self.held_by(client, bytes)
    }

    fn held_by(self: &Arc<Self>, client: Client, bytes: u64) -> Held {
        Held {
            memory: Arc::clone(self),
            purpose: Purpose::Transfers,
            client: Some(client),
            bytes,
        }
    }

    /// Whether a request of `client` may begin: the client has read most of its answers, and there is memory for
    /// another one. A client that holds nothing is admitted even while others use everything meant for answers.
    pub(crate) fn admits(&self, client: Client) -> bool {
        let own = self.clients().get(&client).copied().unwrap_or_default();
        let is_within_share = own == 0
            || own < self.shares.transfers_of_one
                && self.held_for(Purpose::Transfers) < self.shares.transfers;
        is_within_share && self.held() < self.shares.given
    }

    /// Takes `bytes` for data that then has `size` bytes, if there is room; the caller gives them back.
    pub fn take(&self, purpose: Purpose, size: u64, bytes: u64) -> bool {
        let Shares { given, kept, .. } = self.shares;
        let is_modest = size <= purpose.modest();
        let most = match purpose {
            Purpose::Transfers if !is_modest => self.shares.transfers,
            Purpose::Queues => self.shares.queues,
            Purpose::Connections => given - kept,
            _ => given,
        };
        if self.held_for(purpose).saturating_add(bytes) > most {
            return false;
        }
        let most_of_all = if is_modest { given } else { given - kept };
        let most_of_all = most_of_all.saturating_sub(self.excess());
        let more = |all: u64| all.checked_add(bytes).filter(|all| *all <= most_of_all);
        let taken = self.all.fetch_update(Relaxed, Relaxed, more).is_ok();
        if taken {
            self.count(purpose).fetch_add(bytes, Relaxed);
        }
        taken
    }

    /// Counts bytes, whether there is room or not; the caller gives them back.
    pub fn add(&self, purpose: Purpose, bytes: u64) {
        self.all.fetch_add(bytes, Relaxed);
        self.count(purpose).fetch_add(bytes, Relaxed);
    }

    /// Releases what was taken or added.
    pub fn give_back(&self, purpose: Purpose, bytes: u64) {
        self.count(purpose).fetch_sub(bytes, Relaxed);
        self.all.fetch_sub(bytes, Relaxed);
        self.released.fetch_add(bytes, Relaxed);
        self.freed.notify_waiters();
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<Client, u64>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, purpose: Purpose) -> &AtomicU64 {
        let [connections, transfers, results, queues, instances] = &self.by_purpose;
        match purpose {
            Purpose::Connections => connections,
            Purpose::Transfers => transfers,
            Purpose::Results => results,
            Purpose::Queues => queues,
            Purpose::Instances => instances,
        }
    }
}

impl Held {
    /// Takes `bytes` more, if there is room for them.
    #[must_use]
    pub fn grow(&mut self, bytes: u64) -> bool {
        let size = self.bytes.saturating_add(bytes);
        let taken = self.memory.take(self.purpose, size, bytes);
        if taken {
            self.bytes = size;
        }
        taken
    }

    /// Ties the memory to `bytes`: it is released with their last reference.
    pub(crate) fn wrap(self, bytes: Bytes) -> Bytes {
        Bytes::from_owner(Counted { bytes, _held: self })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        if let Some(client) = self.client {
            let mut clients = self.memory.clients();
            if let Some(own) = clients.get_mut(&client) {
                *own = own.saturating_sub(self.bytes);
                if *own == 0 {
                    clients.remove(&client);
                }
            }
        }
        self.memory.give_back(self.purpose, self.bytes);
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

impl Memory {
    /// A budget for tests: `given` bytes for everything but the program and the ring.
    pub fn of(given: u64) -> Arc<Self> {
        Arc::new(Self::new(Shares::given(given, 0)))
    }
}
