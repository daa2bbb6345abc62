//! Slow statements: which they are, and how many slow reads run at once.
//!
//! A statement is known to be slow for a client once it has run slowly for it (`known`). From then on it runs on a thread of low
//! priority, so that no thread that accepts connections or delivers events waits for it, and no short
//! request for a processor; and few such reads run at once, so that read connections stay free for other
//! requests. A slow write needs no permit, since there is one writer, and runs on an ordinary thread, since
//! all other writers wait for it. `read.rs` and `session/statements.rs` measure and run them.

mod known;

use super::error::DatabaseError;
use crate::memory::Client;
pub(super) use known::Expected;
use known::KnownStatements;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Statements that take at least this long are slow; what counts is `StatementClock::took`.
const SLOW: Duration = Duration::from_millis(10);
/// A read that is not known to be slow is stopped after this time and restarted as a slow one.
pub(super) const FIRST_LIMIT: Duration = Duration::from_millis(50);
/// The same for a read that was slow for other clients, in processor time: a read that takes longer is slow.
pub(super) const TRIAL_LIMIT: Duration = SLOW;
/// Most slow reads that run at once: more would only take processor time from each other, and from all
/// other work.
pub(crate) fn max_slow_reads_on(processors: usize) -> usize {
    processors.max(2)
}

/// Most slow reads of one account or address that run at once.
pub(crate) fn max_slow_reads_of_client(processors: usize) -> usize {
    max_slow_reads_on(processors) / 2
}

/// Most snapshots of one account or address at once. Each holds a reader, also while it waits for the permit of
/// a slow read; as many may wait, so none is refused for the number of others. Further snapshots wait before they
/// begin, without a reader.
pub(crate) fn max_snapshots_of_client_on(processors: usize) -> usize {
    max_slow_reads_of_client(processors) + WITH_READER.of_client
}

/// As many on this machine.
pub(super) fn max_snapshots_of_client() -> usize {
    max_snapshots_of_client_on(processors())
}

fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Most slow reads that wait, of all clients and of one; more are refused. Of a client without another
/// slow read, one may wait while twice as many do: a few clients cannot fill the queue for all others.
#[derive(Clone, Copy)]
struct QueueLimit {
    all: usize,
    of_client: usize,
}

impl QueueLimit {
    const fn all(self, is_only_read: bool) -> usize {
        if is_only_read { 2 * self.all } else { self.all }
    }
}

/// Of those in a snapshot: each holds a reader meanwhile.
const WITH_READER: QueueLimit = QueueLimit {
    all: 12,
    of_client: 4,
};
/// Of all others: as many as a client has requests inside components, which limits them already.
const WITHOUT_READER: QueueLimit = QueueLimit {
    all: 256,
    of_client: 32,
};

/// The statements known to be slow, and the limit on how many run at once.
pub(super) struct SlowReads {
    known: KnownStatements,
    permits: Arc<Semaphore>,
    permits_of_client: usize,
    /// Reads that wait, without and with a reader.
    waiting: [AtomicUsize; 2],
    by_client: Mutex<HashMap<Client, ClientQueue>>,
}

/// The slow reads of one account or address.
struct ClientQueue {
    /// Reads that run or wait, without and with a reader.
    inside: [usize; 2],
    client_permits: Arc<Semaphore>,
}

/// Permission to run one slow read, returned when it is dropped.
pub(super) struct SlowReadPermit {
    _permit: OwnedSemaphorePermit,
    _client_permit: Option<OwnedSemaphorePermit>,
    _member: Option<QueueMember>,
}

impl SlowReads {
    /// The limits for this machine.
    pub(super) fn of_this_machine() -> Self {
        Self::on(processors())
    }

    fn on(processors: usize) -> Self {
        Self {
            known: KnownStatements::default(),
            permits: Arc::new(Semaphore::new(max_slow_reads_on(processors))),
            permits_of_client: max_slow_reads_of_client(processors),
            waiting: Default::default(),
            by_client: Mutex::default(),
        }
    }

    /// Whether `sql` is known to be slow for any client.
    pub(super) fn knows(&self, sql: &str) -> bool {
        self.known.expected(sql, || None) != Expected::Quick
    }

    /// What is to be expected when a client runs `sql`.
    pub(super) fn expected(&self, sql: &str, client: impl FnOnce() -> Option<Client>) -> Expected {
        self.known.expected(sql, client)
    }

    /// Records the duration of `sql` for `client`, if it was slow.
    pub(super) fn learn(&self, sql: &str, client: Option<Client>, took: Duration) {
        self.known.learn(sql, client, took);
    }

    /// Waits at most `timeout` for a permit. `holds_reader`: the read belongs to a snapshot, whose reader
    /// others cannot use meanwhile.
    ///
    /// # Errors
    ///
    /// `TooManySlowReads` after `timeout`, or at once when the queue is full.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        client: Option<Client>,
        holds_reader: bool,
        timeout: Duration,
    ) -> Result<SlowReadPermit, DatabaseError> {
        let (member, client_permits, is_only_read) = match client {
            Some(client) => {
                let (member, client_permits, is_only) = self.join_queue(client, holds_reader)?;
                (Some(member), Some(client_permits), is_only)
            }
            None => (None, None, false),
        };
        let _waiting = match Arc::clone(&self.permits).try_acquire_owned() {
            // A read that need not wait is not counted as queued.
            Ok(permit)
                if client_permits
                    .as_ref()
                    .is_none_or(|client_permits| client_permits.available_permits() > 0) =>
            {
                let client_permit = client_permits
                    .and_then(|client_permits| client_permits.try_acquire_owned().ok());
                return Ok(SlowReadPermit {
                    _permit: permit,
                    _client_permit: client_permit,
                    _member: member,
                });
            }
            _ => Waiting::begin(self, holds_reader, is_only_read)?,
        };
        let waiting = async {
            let client_permit = match client_permits {
                Some(client_permits) => client_permits.acquire_owned().await.ok(),
                None => None,
            };
            let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
            (client_permit, permit)
        };
        match tokio::time::timeout(timeout, waiting).await {
            Ok((client_permit, Some(permit))) => Ok(SlowReadPermit {
                _permit: permit,
                _client_permit: client_permit,
                _member: member,
            }),
            _ => Err(DatabaseError::TooManySlowReads),
        }
    }

    /// Counts a read of `client`; also returns whether it is the client's only one.
    fn join_queue(
        self: &Arc<Self>,
        client: Client,
        holds_reader: bool,
    ) -> Result<(QueueMember, Arc<Semaphore>, bool), DatabaseError> {
        let mut queues = self.queues();
        let queue = queues.entry(client).or_insert_with(|| ClientQueue {
            inside: [0, 0],
            client_permits: Arc::new(Semaphore::new(self.permits_of_client)),
        });
        let is_only_read = queue.inside == [0, 0];
        let inside = of_kind_mut(&mut queue.inside, holds_reader);
        if *inside >= self.permits_of_client + limit(holds_reader).of_client {
            return Err(DatabaseError::TooManySlowReads);
        }
        *inside += 1;
        let member = QueueMember {
            reads: Arc::clone(self),
            client,
            holds_reader,
        };
        Ok((member, Arc::clone(&queue.client_permits), is_only_read))
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<Client, ClientQueue>> {
        self.by_client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts one read of its client, running or waiting.
struct QueueMember {
    reads: Arc<SlowReads>,
    client: Client,
    holds_reader: bool,
}

const fn limit(holds_reader: bool) -> QueueLimit {
    if holds_reader {
        WITH_READER
    } else {
        WITHOUT_READER
    }
}

/// Of a pair for reads without and with a reader.
const fn of_kind<T>(pair: &[T; 2], holds_reader: bool) -> &T {
    let [without, with] = pair;
    if holds_reader { with } else { without }
}

const fn of_kind_mut<T>(pair: &mut [T; 2], holds_reader: bool) -> &mut T {
    let [without, with] = pair;
    if holds_reader { with } else { without }
}

impl Drop for QueueMember {
    fn drop(&mut self) {
        let mut queues = self.reads.queues();
        if let Some(queue) = queues.get_mut(&self.client) {
            *of_kind_mut(&mut queue.inside, self.holds_reader) -= 1;
            if queue.inside == [0, 0] {
                queues.remove(&self.client);
            }
        }
    }
}

/// Counts a queued read while it exists.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(
        reads: &'a SlowReads,
        holds_reader: bool,
        is_only_read: bool,
    ) -> Result<Self, DatabaseError> {
        let waiting = Self(of_kind(&reads.waiting, holds_reader));
        let most = limit(holds_reader).all(is_only_read);
        if waiting.0.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(DatabaseError::TooManySlowReads);
        }
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
