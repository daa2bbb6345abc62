//! The options of the event-queue service. The defaults are those of the protocol
//! (docs/protocol/events.md#queues) and of the design; tests use smaller values.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use spindle_admission::memory::Memory;
use spindle_database::Location;

/// Configuration of the service.
#[derive(Debug, Clone)]
pub struct EventOptions {
    /// The main database, migrated.
    pub database: Location,
    /// The journal, created when missing.
    pub journal: PathBuf,
    /// Memory for recent rows of the log.
    pub ring_bytes: usize,
    /// The memory budget, for the registrations of queues.
    pub memory: Arc<Memory>,
    /// Most undelivered events of a queue; a queue with more ends.
    pub max_events: u64,
    /// Most bytes of undelivered events of a queue.
    pub max_bytes: u64,
    /// A waiting poll is answered with a heartbeat after this time.
    pub heartbeat_after: Duration,
    /// Most random time added to `heartbeat_after`, so that heartbeats spread.
    pub heartbeat_spread: Duration,
    /// How often idle queues are searched for.
    pub collect_every: Duration,
    /// How often the database is checked for commits of other processes; twice as often after a commit
    /// ([`EventOptions::pause_after`]).
    pub watch_every: Duration,
}

/// After a commit, others are expected for this time.
const BUSY_FOR: Duration = Duration::from_secs(1);

impl EventOptions {
    /// The defaults for a data directory: `spindle.db` and `queues.db` in it.
    #[must_use]
    pub fn in_directory(directory: &std::path::Path) -> Self {
        Self::for_database(directory.join("spindle.db"))
    }

    /// The defaults for a database file, with `queues.db` in the same directory.
    #[must_use]
    pub fn for_database(database: PathBuf) -> Self {
        Self {
            journal: database.with_file_name("queues.db"),
            database: database.into(),
            ring_bytes: 16 << 20,
            memory: Arc::default(),
            max_events: 10_000,
            max_bytes: 8 << 20,
            heartbeat_after: Duration::from_secs(45),
            heartbeat_spread: Duration::from_secs(10),
            collect_every: Duration::from_secs(60),
            watch_every: Duration::from_millis(20),
        }
    }

    /// The pause before the next check of the database, when its last new row was read `idle` ago. Events of other
    /// processes come sooner while there are any, and a server at rest does not pay for it.
    #[must_use]
    pub(super) fn pause_after(&self, idle: Duration) -> Duration {
        if idle < BUSY_FOR {
            self.watch_every / 2
        } else {
            self.watch_every
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_is_checked_twice_as_often_after_a_commit() {
        let options = EventOptions::for_database(PathBuf::from("spindle.db"));
        let usual = options.watch_every;
        assert_eq!(options.pause_after(Duration::ZERO), usual / 2);
        assert_eq!(options.pause_after(BUSY_FOR), usual);
    }
}
