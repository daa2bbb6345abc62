//! The pool of read connections.
//!
//! A connection serves one borrower at a time and is returned without an open transaction. Statements run on the
//! borrower's thread. The connection returned last is lent first, so connections that only a busy moment needed become
//! idle and are closed: each has some MiB of pages and prepared statements.

use super::connection::{self, Opened};
use super::error::DatabaseError;
use super::options::DatabaseOptions;
use spindle_admission::concurrency::{ConcurrencyLimit, ConcurrencyPermit};
use spindle_admission::heap;
use spindle_admission::memory::Client;
use spindle_admission::{processors, readers_of_client_on};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Idle connections that stay open.
const KEPT: usize = 2;
/// An idle connection is closed after this time, at the latest twice that.
const IDLE: Duration = Duration::from_secs(8);

/// Idle connections, and permits for those in use.
pub(super) struct Readers {
    options: DatabaseOptions,
    /// In the order in which they came back.
    idle: Mutex<Vec<Idle>>,
    permits: Arc<Semaphore>,
    /// Of each client, so that it leaves readers to the others.
    of_clients: Arc<ConcurrencyLimit>,
}

/// A returned connection.
struct Idle {
    opened: Opened,
    since: Instant,
}

/// A borrowed read connection, returned to the pool when it is dropped.
pub(super) struct Reader {
    opened: Option<Opened>,
    pool: Arc<Readers>,
    _permit: OwnedSemaphorePermit,
    _of_client: Option<ConcurrencyPermit>,
}

impl Readers {
    pub(super) fn new(options: &DatabaseOptions) -> Arc<Self> {
        Arc::new(Self {
            options: options.clone(),
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(options.max_readers)),
            of_clients: Arc::new(ConcurrencyLimit::new(
                readers_of_client_on(processors()),
                options.wait_limit,
            )),
        })
    }

    /// Borrows an idle connection, or opens one, for a client or for the server itself.
    pub(super) async fn take(
        self: &Arc<Self>,
        client: Option<Client>,
    ) -> Result<Reader, DatabaseError> {
        let limit = self.options.wait_limit;
        let of_client = match client {
            Some(client) => {
                let permit = self.of_clients.acquire(client).await;
                Some(permit.ok_or(DatabaseError::NoReader(limit))?)
            }
            None => None,
        };
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => tokio::time::timeout(limit, Arc::clone(&self.permits).acquire_owned())
                .await
                .map_err(|_| DatabaseError::NoReader(limit))?
                .map_err(|_| DatabaseError::Refused("the database is closing"))?,
        };
        let idle = self.lock().pop();
        let opened = match idle {
            Some(idle) => idle.opened,
            None => connection::open_reader(&self.options)?,
        };
        Ok(Reader {
            opened: Some(opened),
            pool: Arc::clone(self),
            _permit: permit,
            _of_client: of_client,
        })
    }

    /// Closes connections that came back before `moment` and have not been lent since, but for a few;
    /// how many.
    fn close_idle(&self, moment: Instant) -> usize {
        let mut idle = self.lock();
        let spare = idle.len().saturating_sub(KEPT);
        let is_old = |one: &&Idle| one.since < moment;
        let count = idle.iter().take(spare).take_while(is_old).count();
        let closed: Vec<Idle> = idle.drain(..count).collect();
        drop(idle);
        // Closing frees each prepared statement: not while others wait for the lock.
        closed.len()
    }

    /// Closes idle connections from time to time, until the readers are dropped.
    pub(super) fn look_after(self: &Arc<Self>) {
        let readers = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let moment = Instant::now();
                tokio::time::sleep(IDLE).await;
                let readers = Weak::clone(&readers);
                let closing = tokio::task::spawn_blocking(move || {
                    let closed = readers.upgrade().map(|readers| readers.close_idle(moment));
                    if closed.is_some_and(|count| count > 0) {
                        heap::give_back();
                    }
                    closed.is_some()
                });
                if !closing.await.unwrap_or(false) {
                    return;
                }
            }
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// Calls `f` with the connection.
    pub(super) fn with<T>(
        &self,
        f: impl FnOnce(&Opened) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        match &self.opened {
            Some(opened) => f(opened),
            None => Err(DatabaseError::Refused("the connection was given back")),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(opened) = self.opened.take() else {
            return;
        };
        opened.clock.clear();
        let clean = opened.connection.is_autocommit() || roll_back(&opened).is_ok();
        if clean {
            // Taken within the lock: the list stays in order.
            let mut idle = self.pool.lock();
            let since = Instant::now();
            idle.push(Idle { opened, since });
        }
    }
}

/// Ends the open transaction, by a statement that stays prepared.
fn roll_back(opened: &Opened) -> rusqlite::Result<usize> {
    opened.connection.prepare_cached("ROLLBACK")?.execute([])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_of_a_busy_moment_are_closed_when_they_have_become_idle() {
        let folder = tempfile::tempdir().unwrap();
        let options = DatabaseOptions::new(folder.path().join("x.db"));
        connection::open_writer(&options).unwrap();
        let readers = Readers::new(&options);
        let mut lent = Vec::new();
        for _ in 0..6 {
            lent.push(readers.take(None).await.unwrap());
        }
        let before = Instant::now();
        lent.truncate(3);
        assert_eq!(readers.close_idle(before), 0);
        let between = Instant::now();
        lent.clear();
        assert_eq!(readers.lock().len(), 6);
        // Only connections that were returned before.
        assert_eq!(readers.close_idle(between), 3);
        assert_eq!(readers.lock().len(), 3);
        // A few stay, however long.
        assert_eq!(readers.close_idle(Instant::now()), 1);
        assert_eq!(readers.close_idle(Instant::now()), 0);
        assert_eq!(readers.lock().len(), KEPT);
        let reader = readers.take(None).await.unwrap();
        let read = |opened: &Opened| {
            let select = opened
                .connection
                .query_row("SELECT 7", [], |row| row.get(0));
            Ok::<i64, DatabaseError>(select?)
        };
        assert_eq!(reader.with(read).unwrap(), 7);
    }
}
