//! The pool of read connections.
//!
//! A connection serves one borrower at a time and is returned without an open transaction.
//! Statements run on the borrower's thread.

use super::connection::{self, Opened};
use super::error::DatabaseError;
use super::options::DatabaseOptions;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Idle connections, and permits for those in use.
pub(super) struct Readers {
    options: DatabaseOptions,
    idle: Mutex<Vec<Opened>>,
    permits: Arc<Semaphore>,
}

/// A borrowed read connection, returned to the pool when it is dropped.
pub(super) struct Reader {
    opened: Option<Opened>,
    pool: Arc<Readers>,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    pub(super) fn new(options: &DatabaseOptions) -> Arc<Self> {
        Arc::new(Self {
            options: options.clone(),
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(options.max_readers)),
        })
    }

    /// Borrows an idle connection, or opens one.
    pub(super) async fn take(self: &Arc<Self>) -> Result<Reader, DatabaseError> {
        let limit = self.options.wait_limit;
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => tokio::time::timeout(limit, Arc::clone(&self.permits).acquire_owned())
                .await
                .map_err(|_| DatabaseError::NoReader(limit))?
                .map_err(|_| DatabaseError::Refused("the database is closing"))?,
        };
        let idle = self.lock().pop();
        let opened = match idle {
            Some(opened) => opened,
            None => connection::open_reader(&self.options)?,
        };
        Ok(Reader {
            opened: Some(opened),
            pool: Arc::clone(self),
            _permit: permit,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Opened>> {
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
        let clean = opened.connection.is_autocommit()
            || opened.connection.execute_batch("ROLLBACK").is_ok();
        if clean {
            self.pool.lock().push(opened);
        }
    }
}
