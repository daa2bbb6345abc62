//! Connection limits: the total number of connections, and the number for each address.

use super::rate::address_group;
use ipnet::IpNet;
use metrics::Gauge;
use spindle_admission::memory::{Held, Memory, Purpose};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory of a connection while its client waits for events, in bytes.
const CONNECTION: u64 = 16 << 10;

/// The connection slots of the server.
pub(super) struct ConnectionSlots {
    free: Arc<Semaphore>,
    max: usize,
    max_per_address: usize,
    /// Trusted proxies, which connect for many clients and have no limit for each address.
    proxies: Vec<IpNet>,
    by_address: Mutex<HashMap<u128, usize>>,
    memory: Arc<Memory>,
    connected: Gauge,
}

/// The slot of one connection, released when it is dropped.
pub(super) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    address: Option<u128>,
    _memory: Held,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionSlots {
    pub(super) fn new(
        max: usize,
        max_per_address: usize,
        proxies: &[IpNet],
        memory: Arc<Memory>,
    ) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(max)),
            max,
            max_per_address,
            proxies: proxies.to_vec(),
            by_address: Mutex::default(),
            memory,
            connected: metrics::gauge!("spindle_http_connections"),
        })
    }

    /// Waits for a free slot.
    pub(super) async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).acquire_owned().await.ok()
    }

    /// Assigns the slot to a connection from `address`; `None` when the address has reached its limit,
    /// or when there is no memory for another connection.
    pub(super) fn take(
        self: &Arc<Self>,
        permit: OwnedSemaphorePermit,
        address: IpAddr,
    ) -> Option<ConnectionSlot> {
        let address = address.to_canonical();
        let is_proxy = self.proxies.iter().any(|net| net.contains(&address));
        let address = (!is_proxy).then(|| address_group(address));
        let held = self.memory.try_hold(Purpose::Connections, CONNECTION)?;
        if let Some(address) = address {
            let mut counts = self.counts();
            let count = counts.entry(address).or_default();
            if *count >= self.max_per_address {
                return None;
            }
            *count += 1;
        }
        self.connected.increment(1);
        Some(ConnectionSlot {
            slots: Arc::clone(self),
            address,
            _memory: held,
            _permit: permit,
        })
    }

    /// Waits until all slots are free.
    pub(super) async fn all_free(&self) {
        let all = u32::try_from(self.max).unwrap_or(u32::MAX);
        // An error means that the semaphore is closed, which it never is.
        let _ = self.free.acquire_many(all).await;
    }

    /// The number of slots in use.
    pub(super) fn taken(&self) -> usize {
        self.max.saturating_sub(self.free.available_permits())
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<u128, usize>> {
        self.by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.connected.decrement(1);
        let Some(address) = self.address else {
            return;
        };
        let mut counts = self.slots.counts();
        if let Some(count) = counts.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_has_a_share_of_the_slots_and_a_proxy_all() {
        let proxies = ["10.0.0.0/8".parse().unwrap()];
        let slots = ConnectionSlots::new(10, 2, &proxies, Arc::default());
        let take = async |address: &str| {
            let permit = slots.acquire().await.unwrap();
            slots.take(permit, address.parse().unwrap())
        };
        let first = take("192.0.2.1").await;
        let second = take("::ffff:192.0.2.1").await;
        assert!(first.is_some() && second.is_some());
        assert!(take("192.0.2.1").await.is_none());
        assert!(take("192.0.2.2").await.is_some());
        drop(first);
        let mut kept = vec![take("192.0.2.1").await];
        for _ in 0..5 {
            kept.push(take("10.1.2.3").await);
        }
        assert!(kept.iter().all(Option::is_some));
        assert_eq!(slots.taken(), 7);
        // An IPv6 network counts as one address.
        let neighbours = [take("2001:db8::1").await, take("2001:db8::2").await];
        assert!(neighbours.iter().all(Option::is_some));
        assert!(take("2001:db8::3").await.is_none());
        drop((kept, neighbours, second));
        assert_eq!((slots.taken(), slots.counts().len()), (0, 0));
    }
}
