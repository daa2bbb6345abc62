//! The database connections of one instance: a pool of its own, because requests run
//! concurrently in an instance and a connection shared by two would mix their transactions.
//!
//! Owns opening, handing out and taking back. It must not take back a connection whose request
//! ended in an internal error: the state of such a connection is unknown, and dropping it rolls
//! back an open transaction.

use spindle_store::{Connection, DbError, SpinDb};
use std::cell::{OnceCell, RefCell};

/// The database that the manifest grants.
const DATABASE: &str = "default";
/// Idle connections that are kept: as many as an instance serves requests at once.
const KEPT: usize = 16;

thread_local! {
    static IDLE: RefCell<Vec<SpinDb>> = const { RefCell::new(Vec::new()) };
}

/// The connection of one request, taken at its first statement.
#[derive(Default)]
pub(crate) struct Session {
    connection: OnceCell<SpinDb>,
}

impl crate::Connect for Session {
    fn db(&self) -> Result<&dyn Connection, DbError> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection);
        }
        let idle = IDLE.with_borrow_mut(Vec::pop);
        let connection = match idle {
            Some(connection) => connection,
            None => SpinDb::open(DATABASE)?,
        };
        Ok(self.connection.get_or_init(|| connection))
    }
}

impl Session {
    /// Returns the connection to the pool, for a request that succeeded or ended with an error of
    /// the client's. A connection that is not returned is closed.
    pub(crate) fn give_back(self) {
        if let Some(connection) = self.connection.into_inner() {
            IDLE.with_borrow_mut(|idle| {
                if idle.len() < KEPT {
                    idle.push(connection);
                }
            });
        }
    }
}
