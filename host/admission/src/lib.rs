//! Admission: how many requests of each class run concurrently, for the server and for each client.
//!
//! A request holds one [`Ticket`] while it is in a component, and waits for shares of processors and memory nowhere
//! else: in [`Admission::admit`], and at most once more in [`Ticket::exchange`], when its parameters or the database show
//! that it belongs to another class. After that it grows without waiting, and fails with 503 where there is no room
//! (docs/adr/0066-one-admission.md).

pub mod body;
pub mod concurrency;
pub mod heap;
pub mod memory;
pub mod open_writes;
mod sizes;
#[cfg(test)]
mod tests;
mod written;

use crate::memory::{Client, Held, Memory};
pub use sizes::{
    HASHES_WAITING, Limit, ORDINARY, ORDINARY_OF_CLIENT, TRANSFERS, WAITING, WAITING_WITH_READER,
    hashes_on, processors, readers_of_client_on, slow_on,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
pub use written::Charge;
use written::Written;

/// Returns the ticket of the request that a connection to the database serves at the moment, where it is known.
pub type TicketLookup = Box<dyn Fn() -> Option<Arc<Ticket>> + Send + Sync>;

/// Kinds of requests, by what they need most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Milliseconds of a processor.
    Ordinary,
    /// A read or a computation that takes longer.
    Slow,
    /// A password hash: much memory and processor time, and a person who waits.
    Hash,
    /// A picture, which may take seconds: as expensive as a hash, but no sign-in waits behind it.
    Picture,
    /// A large body.
    Transfer,
}

/// What a request holds while it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// Nothing that others need.
    Nothing,
    /// A connection of the pool of readers.
    Reader,
}

/// No share became free in time, or too many requests wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests")]
pub struct Overloaded;

/// The limits of a server and the requests that use them.
pub struct Admission {
    memory: Arc<Memory>,
    ordinary: Arc<Queue>,
    slow: Arc<Queue>,
    hash: Arc<Queue>,
    picture: Arc<Queue>,
    transfer: Arc<Queue>,
}

/// The right of one request to run, returned when it is dropped.
pub struct Ticket {
    admission: Arc<Admission>,
    client: Client,
    /// Empty while the ticket is exchanged.
    place: Mutex<(Class, Option<Slot>)>,
    written: Written,
}

impl Default for Admission {
    fn default() -> Self {
        Self::new(Arc::default(), ORDINARY, WAITING)
    }
}

impl Admission {
    /// At most `at_once` ordinary requests, of which `waiting` more may wait; the other limits follow from the machine.
    #[must_use]
    pub fn new(memory: Arc<Memory>, at_once: usize, waiting: usize) -> Self {
        let (slow, slow_of_client) = slow_on(processors());
        let limit = |at_once, of_client, waiting, seconds| {
            Queue::new(Limit {
                at_once,
                of_client,
                waiting,
                patience: Duration::from_secs(seconds),
            })
        };
        Self {
            memory,
            ordinary: limit(at_once, ORDINARY_OF_CLIENT, waiting, 10),
            slow: limit(slow, slow_of_client, 256, 15),
            hash: limit(hashes_on(processors()), 1, HASHES_WAITING, 30),
            picture: limit(hashes_on(processors()), 1, HASHES_WAITING, 30),
            transfer: limit(TRANSFERS.0, TRANSFERS.1, 1024, 30),
        }
    }

    /// Most concurrent requests in components, of all classes.
    pub fn most_at_once(&self) -> usize {
        let queues = [
            &self.ordinary,
            &self.slow,
            &self.hash,
            &self.picture,
            &self.transfer,
        ];
        queues.map(|queue| queue.limit.at_once).iter().sum()
    }

    /// The budget of memory.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Waits until a request of this class may begin, and until the answers of its client leave room for another one.
    ///
    /// # Errors
    ///
    /// [`Overloaded`] when the queue is full or the wait too long.
    pub async fn admit(
        self: &Arc<Self>,
        client: Client,
        class: Class,
    ) -> Result<Ticket, Overloaded> {
        let queue = self.queue(class);
        let place = queue.enter(client, Holding::Nothing).await?;
        self.wait_for_room(queue.limit.patience, || {
            self.memory.admits(client).then_some(())
        })
        .await?;
        Ok(Ticket {
            admission: Arc::clone(self),
            client,
            place: Mutex::new((class, Some(place))),
            written: Written::default(),
        })
    }

    /// Calls `take` until it returns something, first immediately and then whenever memory is released.
    async fn wait_for_room<T>(
        &self,
        patience: Duration,
        mut take: impl FnMut() -> Option<T>,
    ) -> Result<T, Overloaded> {
        if let Some(taken) = take() {
            return Ok(taken);
        }
        let waiting = async {
            loop {
                // Subscribes before the check, so that it misses no notification.
                let mut freed = std::pin::pin!(self.memory.freed().notified());
                freed.as_mut().enable();
                if let Some(taken) = take() {
                    return taken;
                }
                freed.await;
            }
        };
        timeout(patience, waiting).await.map_err(|_| Overloaded)
    }

    fn queue(&self, class: Class) -> &Arc<Queue> {
        match class {
            Class::Ordinary => &self.ordinary,
            Class::Slow => &self.slow,
            Class::Hash => &self.hash,
            Class::Picture => &self.picture,
            Class::Transfer => &self.transfer,
        }
    }
}

impl Ticket {
    /// The client whose shares it uses.
    pub fn client(&self) -> Client {
        self.client
    }

    /// Counts bytes that the request has written to the database.
    pub fn wrote(&self, bytes: u64) {
        self.written.add(bytes);
    }

    /// Sets the function that is called with these bytes when the ticket is returned, replacing an earlier one.
    pub fn charge_with(&self, charge: Charge) {
        self.written.charge_with(charge);
    }

    /// Its class now.
    pub fn class(&self) -> Class {
        self.place().0
    }

    /// Returns the share of its class and waits for one of `class`. A slow request, a hash or a picture stays what it is: its
    /// own class is as narrow.
    ///
    /// # Errors
    ///
    /// [`Overloaded`] when the queue is full or the wait too long; the request then has to end.
    pub async fn exchange(&self, class: Class, holding: Holding) -> Result<(), Overloaded> {
        let former = {
            let mut place = self.place();
            if matches!(place.0, Class::Slow | Class::Hash | Class::Picture) {
                return Ok(());
            }
            place.0 = class;
            place.1.take()
        };
        drop(former);
        let entered = self
            .admission
            .queue(class)
            .enter(self.client, holding)
            .await?;
        self.place().1 = Some(entered);
        Ok(())
    }

    /// Waits for the memory of a body of `bytes`.
    ///
    /// # Errors
    ///
    /// [`Overloaded`] after the patience of the class.
    pub async fn hold_body(&self, bytes: u64) -> Result<Held, Overloaded> {
        let patience = self.admission.queue(self.class()).limit.patience;
        let memory = &self.admission.memory;
        self.admission
            .wait_for_room(patience, || memory.try_hold_transfer(self.client, bytes))
            .await
    }

    fn place(&self) -> MutexGuard<'_, (Class, Option<Slot>)> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The requests of one class.
struct Queue {
    limit: Limit,
    free: Arc<Semaphore>,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    /// Requests that wait, without and with a reader.
    waiting: [usize; 2],
    clients: HashMap<Client, ClientCounts>,
}

struct ClientCounts {
    /// Requests that run or wait.
    inside: usize,
    free: Arc<Semaphore>,
}

/// A share of a class.
struct Slot {
    // Returned before the member leaves.
    _shares: (OwnedSemaphorePermit, OwnedSemaphorePermit),
    _member: Member,
}

impl Queue {
    fn new(limit: Limit) -> Arc<Self> {
        Arc::new(Self {
            limit,
            free: Arc::new(Semaphore::new(limit.at_once)),
            counts: Mutex::default(),
        })
    }

    async fn enter(self: &Arc<Self>, client: Client, holding: Holding) -> Result<Slot, Overloaded> {
        let (mut member, own) = self.join(client, holding);
        if let Ok(own) = Arc::clone(&own).try_acquire_owned()
            && let Ok(share) = Arc::clone(&self.free).try_acquire_owned()
        {
            return Ok(Slot {
                _shares: (own, share),
                _member: member,
            });
        }
        member.begin_to_wait()?;
        let shares = async {
            let own = own.acquire_owned().await.ok()?;
            Some((own, Arc::clone(&self.free).acquire_owned().await.ok()?))
        };
        let shares = timeout(self.limit.patience, shares).await;
        let shares = shares.ok().flatten().ok_or(Overloaded)?;
        member.end_wait();
        Ok(Slot {
            _shares: shares,
            _member: member,
        })
    }

    fn join(self: &Arc<Self>, client: Client, holding: Holding) -> (Member, Arc<Semaphore>) {
        let mut counts = self.counts();
        let of_client = counts
            .clients
            .entry(client)
            .or_insert_with(|| ClientCounts {
                inside: 0,
                free: Arc::new(Semaphore::new(self.limit.of_client)),
            });
        let is_first = of_client.inside == 0;
        of_client.inside += 1;
        let own = Arc::clone(&of_client.free);
        drop(counts);
        let member = Member {
            queue: Arc::clone(self),
            client,
            holding,
            is_first,
            waits: false,
        };
        (member, own)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One request in the counts of its queue, until it is dropped.
struct Member {
    queue: Arc<Queue>,
    client: Client,
    holding: Holding,
    /// Its client had no other request here.
    is_first: bool,
    waits: bool,
}

impl Member {
    fn begin_to_wait(&mut self) -> Result<(), Overloaded> {
        let most = match self.holding {
            Holding::Nothing => self.queue.limit.waiting,
            Holding::Reader => WAITING_WITH_READER,
        };
        let most = if self.is_first { 2 * most } else { most };
        let mut counts = self.queue.counts();
        let waiting = of_kind(&mut counts.waiting, self.holding);
        if *waiting >= most {
            return Err(Overloaded);
        }
        *waiting += 1;
        self.waits = true;
        Ok(())
    }

    fn end_wait(&mut self) {
        if std::mem::take(&mut self.waits) {
            *of_kind(&mut self.queue.counts().waiting, self.holding) -= 1;
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.end_wait();
        let mut counts = self.queue.counts();
        if let Some(of_client) = counts.clients.get_mut(&self.client) {
            of_client.inside -= 1;
            if of_client.inside == 0 {
                counts.clients.remove(&self.client);
            }
        }
    }
}

/// Of a pair for requests without and with a reader.
const fn of_kind<T>(pair: &mut [T; 2], holding: Holding) -> &mut T {
    let [without, with] = pair;
    match holding {
        Holding::Nothing => without,
        Holding::Reader => with,
    }
}
