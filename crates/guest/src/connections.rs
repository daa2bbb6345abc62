//! The database connections of one instance.
//!
//! Connections to SQLite are kept in a pool of the instance's own, because requests run concurrently in an
//! instance and a connection shared by two would mix their transactions. Those to PostgreSQL are few for
//! all instances, so each is returned to the host at the end of its request.
//!
//! Owns opening, handing out and taking back. It must not take back a connection whose request
//! ended in an internal error: the state of such a connection is unknown, and dropping it rolls
//! back an open transaction.

use spindle_store::{Connection, DbError, PgDb, SpinDb};
use std::cell::{OnceCell, RefCell};

/// The database that the manifest grants.
const DATABASE: &str = "default";
/// Idle connections that are kept: as many as the requests that an instance serves concurrently.
const KEPT: usize = 16;

thread_local! {
    static IDLE: RefCell<Vec<SpinDb>> = const { RefCell::new(Vec::new()) };
}

enum Opened {
    Sqlite(SpinDb),
    Postgres(PgDb),
}

impl Opened {
    fn open(database_url: &str) -> Result<Self, DbError> {
        if !database_url.is_empty() {
            return PgDb::open(database_url).map(Self::Postgres);
        }
        let idle = IDLE.with_borrow_mut(Vec::pop);
        match idle {
            Some(connection) => Ok(Self::Sqlite(connection)),
            None => SpinDb::open(DATABASE).map(Self::Sqlite),
        }
    }

    fn connection(&self) -> &dyn Connection {
        match self {
            Self::Sqlite(connection) => connection,
            Self::Postgres(connection) => connection,
        }
    }
}

/// The connection of one request, taken at its first statement.
pub(crate) struct Session<'e> {
    /// The server of PostgreSQL; empty: the database is SQLite's.
    database_url: &'e str,
    opened: OnceCell<Opened>,
}

impl crate::Connect for Session<'_> {
    fn db(&self) -> Result<&dyn Connection, DbError> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened.connection());
        }
        let opened = Opened::open(self.database_url)?;
        Ok(self.opened.get_or_init(|| opened).connection())
    }
}

impl<'e> Session<'e> {
    pub(crate) const fn new(database_url: &'e str) -> Self {
        Self {
            database_url,
            opened: OnceCell::new(),
        }
    }

    /// Returns the connection to the pool, for a request that succeeded or ended with an error of
    /// the client's. A connection that is not returned is closed.
    pub(crate) fn give_back(self) {
        if let Some(Opened::Sqlite(connection)) = self.opened.into_inner() {
            IDLE.with_borrow_mut(|idle| {
                if idle.len() < KEPT {
                    idle.push(connection);
                }
            });
        }
    }
}
