//! The order of write transactions: first come, first served, with one of each client in the queue.
//!
//! A client that writes much waits behind its own transactions, outside of the queue; others wait for one of each client
//! before them.

use spindle_admission::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use spindle_admission::memory::Client;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Grants one turn at a time.
pub(super) struct Turns {
    writer: Arc<Semaphore>,
    of_clients: Arc<ConcurrencyLimit>,
}

/// The turn of one transaction; the next one begins when it is dropped.
pub(super) struct Turn {
    _turn: OwnedSemaphorePermit,
    _of_client: Option<ConcurrencyPermit>,
}

impl Turns {
    /// `patience`: how long a client's transaction waits for the one before.
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            writer: Arc::new(Semaphore::new(1)),
            of_clients: Arc::new(ConcurrencyLimit::new(1, patience)),
        }
    }

    /// Waits for a turn; `None` when the patience is used up. The server itself (no client) queues each of its transactions.
    pub(super) async fn acquire(&self, client: Option<Client>) -> Option<Turn> {
        let of_client = match client {
            Some(client) => Some(self.of_clients.acquire(client).await?),
            None => None,
        };
        let turn = Arc::clone(&self.writer).acquire_owned().await.ok()?;
        Some(Turn {
            _turn: turn,
            _of_client: of_client,
        })
    }

    /// A turn of the server itself, if it is free.
    pub(super) fn try_acquire(&self) -> Option<Turn> {
        let turn = Arc::clone(&self.writer).try_acquire_owned().ok()?;
        Some(Turn {
            _turn: turn,
            _of_client: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use tokio::time::timeout;

    const BUSY: Option<Client> = Some(Client::Account(1));
    const OTHER: Option<Client> = Some(Client::Account(2));
    const LATE: Duration = Duration::from_secs(60);
    const SOON: Duration = Duration::from_millis(5);

    #[tokio::test]
    async fn a_client_that_writes_seldom_waits_for_one_turn_of_a_busy_one() {
        let turns = Turns::new(LATE);
        let first = turns.acquire(BUSY).await.unwrap();
        assert!(turns.try_acquire().is_none());
        let mut second = pin!(turns.acquire(BUSY));
        let mut third = pin!(turns.acquire(BUSY));
        let mut other = pin!(turns.acquire(OTHER));
        for waiting in [&mut second, &mut third] {
            assert!(timeout(SOON, waiting).await.is_err());
        }
        assert!(timeout(SOON, &mut other).await.is_err());
        drop(first);
        let other = other.await.unwrap();
        assert!(timeout(SOON, &mut second).await.is_err());
        drop(other);
        drop(second.await.unwrap());
        drop(third.await.unwrap());
        assert!(turns.try_acquire().is_some());
    }

    #[tokio::test]
    async fn a_client_waits_for_its_own_transactions_only_for_a_time() {
        let turns = Turns::new(SOON);
        let _first = turns.acquire(BUSY).await.unwrap();
        assert!(turns.acquire(BUSY).await.is_none());
    }
}
