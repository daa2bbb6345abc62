//! The database as jobs use it: an action runs to its end on a thread that may block.
//!
//! Within `spindle serve`, jobs write through the same queue and in the same group commits as components; under Spin,
//! on connections of their own to the file that Spin uses. Either way an action has a limited time, and none begins
//! another statement after the server has begun to stop. Which action runs, and when, is decided by the jobs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use spindle_actions::ActionError;
use spindle_store::{
    BEGIN_FREEING, BEGIN_WRITE, Connection, Db, DbError, Query, ROLLBACK, Rows, RusqliteDb,
    Statement, Value, open,
};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};

use super::JobFailed;
use spindle_database::Location;
use spindle_sqlite::{Database, NativeConnection};
use spindle_system::clock::Clock;

/// Concurrent actions. Many calls to services of bots may end at the same moment.
const AT_ONCE: usize = 8;
/// Longest time for one action; an open transaction is rolled back then.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Steps of SQLite's virtual machine between two checks of the time.
const STEPS_BETWEEN_LOOKS: i32 = 20_000;

/// Where the actions of jobs run; clones share everything.
#[derive(Clone)]
pub struct JobStore(Arc<Inner>);

struct Inner {
    access: Access,
    clock: Clock,
    slots: Semaphore,
}

enum Access {
    /// The database of this process, and the runtime in which it was opened.
    Shared(Database, Handle),
    /// A file that other processes write, too.
    File {
        path: PathBuf,
        idle: Mutex<Vec<rusqlite::Connection>>,
    },
    /// A database of a server, which other processes write, too.
    Server {
        database: Location,
        idle: Mutex<Vec<Box<dyn Connection + Send>>>,
    },
}

impl JobStore {
    /// Actions run on the database of this process, at the time of `clock`. Must be called within a
    /// tokio runtime.
    #[must_use]
    pub fn shared(database: Database, clock: Clock) -> Self {
        Self::new(Access::Shared(database, Handle::current()), clock)
    }

    /// Actions run on connections of their own to the file at `path`, at the time of `clock`.
    #[must_use]
    pub fn file(path: PathBuf, clock: Clock) -> Self {
        let idle = Mutex::default();
        Self::new(Access::File { path, idle }, clock)
    }

    /// Actions run on connections of their own to a database of a server, at the time of `clock`.
    #[must_use]
    pub fn server(database: Location, clock: Clock) -> Self {
        let idle = Mutex::default();
        Self::new(Access::Server { database, idle }, clock)
    }

    /// Notified after commits of this process, where it knows of them.
    #[must_use]
    pub fn commits(&self) -> Option<watch::Receiver<u64>> {
        match &self.0.access {
            Access::Shared(database, _) => Some(database.commits()),
            Access::File { .. } | Access::Server { .. } => None,
        }
    }

    /// Whether other nodes may run the same jobs on the database.
    #[must_use]
    pub fn has_other_nodes(&self) -> bool {
        matches!(self.0.access, Access::Server { .. })
    }

    fn new(access: Access, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            access,
            clock,
            slots: Semaphore::new(AT_ONCE),
        }))
    }

    /// Runs `action` with a connection and the time (UNIX seconds). A caller that goes away ends it at
    /// its next statement; what it has committed stays.
    ///
    /// # Errors
    /// Those of `action`; [`JobFailed::Ended`] when it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        action: impl FnOnce(&dyn Connection, i64) -> Result<T, ActionError> + Send + 'static,
    ) -> Result<T, JobFailed> {
        // It is never closed; if it were, the action would still run.
        let _slot = self.0.slots.acquire().await;
        let stopped = Arc::new(AtomicBool::new(false));
        let _guard = StopWhenDropped(Arc::clone(&stopped));
        let store = self.clone();
        let working = tokio::task::spawn_blocking(move || store.run_here(&stopped, action));
        Ok(working.await??)
    }

    /// The same on the calling thread, which must be one that may block. The action ends at its next
    /// statement once `stopped` is set.
    pub fn run_here<T>(
        &self,
        stopped: &Arc<AtomicBool>,
        action: impl FnOnce(&dyn Connection, i64) -> Result<T, ActionError>,
    ) -> Result<T, ActionError> {
        let bounds = Bounds {
            until: Instant::now() + TIME_LIMIT,
            stopped: Arc::clone(stopped),
        };
        let now = self.0.clock.unix_seconds();
        match &self.0.access {
            Access::Shared(database, runtime) => {
                let db = NativeConnection::new(database.clone(), runtime.clone());
                action(&Bounded { db: &db, bounds }, now)
            }
            Access::File { path, idle } => {
                let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let connection = match kept {
                    Some(connection) => connection,
                    None => open(path)?,
                };
                bounds.interrupt(&connection)?;
                let db = RusqliteDb::new(&connection);
                let outcome = action(&Bounded { db: &db, bounds }, now);
                // One that was left within a transaction is closed, which undoes it.
                if connection.is_autocommit() {
                    let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
                    idle.push(connection);
                }
                outcome
            }
            Access::Server { database, idle } => {
                let kept = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let connection = match kept {
                    Some(connection) => connection,
                    None => database.connect()?,
                };
                let db = &*connection;
                let outcome = action(&Bounded { db, bounds }, now);
                // After an error it may be lost, or within a transaction.
                if outcome.is_ok() {
                    let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
                    idle.push(connection);
                }
                outcome
            }
        }
    }
}

/// Notifies the working thread that its result is no longer awaited.
pub struct StopWhenDropped(pub Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Until when an action may go on.
#[derive(Clone)]
struct Bounds {
    until: Instant,
    stopped: Arc<AtomicBool>,
}

impl Bounds {
    fn check(&self) -> Result<(), DbError> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(DbError::Failed("the server stops".to_owned()));
        }
        if Instant::now() >= self.until {
            let reason = format!("it has taken longer than {TIME_LIMIT:?}");
            return Err(DbError::Failed(reason));
        }
        Ok(())
    }

    /// Also ends a statement that is running. (The database of this process has limits of its own.)
    fn interrupt(&self, connection: &rusqlite::Connection) -> Result<(), DbError> {
        let bounds = self.clone();
        let is_over = move || bounds.check().is_err();
        Ok(connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_over))?)
    }
}

/// A connection that refuses further statements when it is time to end.
struct Bounded<'a> {
    db: &'a dyn Connection,
    bounds: Bounds,
}

impl Db for Bounded<'_> {
    fn dialect(&self) -> spindle_store::Dialect {
        self.db.dialect()
    }

    fn query(&self, query: Query, params: &[Value]) -> Result<Rows, DbError> {
        self.execute(query.into(), params)
    }
}

impl Connection for Bounded<'_> {
    fn execute(&self, statement: Statement, params: &[Value]) -> Result<Rows, DbError> {
        loop {
            if statement.text() != ROLLBACK {
                self.bounds.check()?;
            }
            match self.db.execute(statement, params) {
                // SQLite's lock of the file is not fair: one of many writers may wait for longer
                // than its busy timeout. Nothing has begun.
                Err(DbError::Busy(_))
                    if [BEGIN_WRITE, BEGIN_FREEING].contains(&statement.text()) => {}
                outcome => return outcome,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Organization;
    use spindle_sqlite::DatabaseOptions;
    use spindle_store::{SilentReason, change_silently, jobs};

    fn claim(db: &dyn Connection, name: &str, now: i64) -> Result<bool, ActionError> {
        change_silently(db, SilentReason::Housekeeping, |tx| {
            Ok(jobs::claim(tx, name, now, 60)?)
        })
    }

    fn stores(organization: &Organization) -> [JobStore; 2] {
        let (path, clock) = (organization.database(), Clock::new());
        let database = Database::open(&DatabaseOptions::new(&path)).unwrap();
        [
            JobStore::shared(database, clock.clone()),
            JobStore::file(path, clock),
        ]
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_one_way_commits_the_other_sees() {
        let organization = Organization::create();
        let [shared, file] = stores(&organization);
        let claim = |db: &dyn Connection, now| claim(db, "a test", now);
        assert!(shared.run(claim).await.unwrap());
        assert!(!file.run(claim).await.unwrap());
        assert!(!shared.run(claim).await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_action_that_is_not_awaited_any_more_ends_and_is_undone() {
        let organization = Organization::create();
        for (store, name) in stores(&organization).into_iter().zip(["one", "another"]) {
            let (begun, has_begun) = tokio::sync::oneshot::channel();
            let (ended, has_ended) = tokio::sync::oneshot::channel();
            let begun = Mutex::new(Some(begun));
            let action = move |db: &dyn Connection, now: i64| -> Result<(), ActionError> {
                let endless: Result<(), ActionError> =
                    change_silently(db, SilentReason::Housekeeping, |tx| {
                        jobs::claim(tx, name, now, 60)?;
                        begun.lock().unwrap().take().unwrap().send(()).unwrap();
                        loop {
                            jobs::claim(tx, "a third", now, 60)?;
                        }
                    });
                ended.send(endless.unwrap_err().to_string()).unwrap();
                Ok(())
            };
            let running = tokio::spawn({
                let store = store.clone();
                async move { store.run(action).await }
            });
            has_begun.await.unwrap();
            running.abort();
            let error = has_ended.await.unwrap();
            assert!(error.contains("the server stops"), "{error}");
            let is_undone = store.run(move |db, now| claim(db, name, now));
            assert!(is_undone.await.unwrap());
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_fails_the_run_and_nothing_else() {
        let organization = Organization::create();
        for store in stores(&organization) {
            let failed = store.run(|db, _| -> Result<(), ActionError> {
                change_silently(db, SilentReason::Housekeeping, |_| {
                    std::panic::panic_any("on purpose")
                })
            });
            assert!(matches!(failed.await, Err(JobFailed::Ended(_))));
            let claiming = store.run(|db, now| claim(db, "afterwards", now));
            claiming.await.unwrap();
        }
    }
}
