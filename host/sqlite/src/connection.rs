//! Opening connections: pragmas, limits, the statement clock.
//!
//! Every connection on which guests' statements run is opened here, with the authorizer installed.
//! Actions that the authorizer denies to all components are denied to native code on these
//! connections too; code that must attach or vacuum opens its own connection.

use super::authorizer::authorize;
use super::options::{DatabaseOptions, Synchronous};
use super::schema::Schema;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthContext, Wal};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use spindle_system::clock::micros;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Prepared statements kept by each connection.
const STATEMENT_CACHE: usize = 256;
/// The write-ahead log grows while a reader stays; when SQLite restarts it, its file is cut to this size.
const KEPT_LOG_BYTES: i64 = 16 << 20;
/// Steps of SQLite's virtual machine between two checks of the clock.
const STEPS_BETWEEN_CHECKS: i32 = 20_000;
/// Clock checks after which the duration of a statement is meaningful.
const MIN_CHECKS: u32 = 2;
/// A statement that waits for the disk or for the processor may take this multiple of its limit.
pub(super) const WALL_TIME_FACTOR: u32 = 2;
/// The part of its whole time that a statement counts as having taken, where that is more than its processor time.
const WAITING_PART: u32 = 10;

/// A connection with the state that the host keeps for it.
pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) clock: Arc<StatementClock>,
    pub(super) inserted: Arc<LastInserted>,
    /// Read when a component first uses the connection.
    schema: Arc<OnceLock<Schema>>,
}

impl Opened {
    /// Loads the schema for the authorizer, unless it is loaded.
    pub(super) fn load_schema(&self) -> rusqlite::Result<()> {
        if self.schema.get().is_none() {
            let schema = Schema::read(&self.connection)?;
            self.schema.get_or_init(|| schema);
        }
        Ok(())
    }
}

/// The deadline of the running statement; read by the progress handler.
///
/// On a busy machine every statement is slow. So past its limit a statement is stopped only when it
/// has used that much processor time, or after [`WALL_TIME_FACTOR`] times the limit, or another time.
pub(super) struct StatementClock {
    base: Instant,
    /// Microseconds after `base`; 0 without a limit.
    deadline: AtomicU64,
    /// Of processor time, in microseconds.
    limit: AtomicU64,
    /// How long after the deadline it is stopped whatever it has used, in microseconds.
    patience: AtomicU64,
    /// Processor time of the thread at the first check, in microseconds.
    cpu_before: AtomicU64,
    /// Checks of the clock since it was started.
    checks: AtomicU32,
}

/// Processor time that this thread has used so far, in microseconds.
fn cpu_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec * 1_000_000 + time.tv_nsec / 1000).unwrap_or_default()
}

impl StatementClock {
    fn new() -> Self {
        Self {
            base: Instant::now(),
            deadline: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            patience: AtomicU64::new(0),
            cpu_before: AtomicU64::new(0),
            checks: AtomicU32::new(0),
        }
    }

    /// Limits statements that are run until [`clear`](Self::clear) to `limit` each.
    pub(super) fn start(&self, limit: Duration) {
        self.start_within(limit, limit * WALL_TIME_FACTOR);
    }

    /// Limits them to `limit` of processor time, and to `whole` where they wait.
    pub(super) fn start_within(&self, limit: Duration, whole: Duration) {
        let deadline = micros(self.base.elapsed() + limit);
        self.deadline.store(deadline.max(1), Ordering::Relaxed);
        self.limit.store(micros(limit), Ordering::Relaxed);
        let patience = micros(whole.saturating_sub(limit));
        self.patience.store(patience, Ordering::Relaxed);
        self.checks.store(0, Ordering::Relaxed);
    }

    /// How much the statement took for which the clock was started with `limit`, on the thread that ran it: its
    /// processor time, or a tenth of the whole time where that is more, since the disk alone delays it so much.
    /// Time of the clock would say how busy the machine is: with many requests at once, every statement would be slow.
    /// `None` when it did too little work to tell.
    pub(super) fn took(&self, limit: Duration) -> Option<Duration> {
        let checks = self.checks.load(Ordering::Relaxed);
        if checks < MIN_CHECKS {
            return None;
        }
        let deadline = Duration::from_micros(self.deadline.load(Ordering::Relaxed));
        let elapsed = (self.base.elapsed() + limit).saturating_sub(deadline);
        let since_first_check = cpu_time().saturating_sub(self.cpu_before.load(Ordering::Relaxed));
        let computed = Duration::from_micros(since_first_check) * checks / (checks - 1);
        Some(computed.max(elapsed / WAITING_PART))
    }

    /// Removes the limit.
    pub(super) fn clear(&self) {
        self.deadline.store(0, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        if self.checks.fetch_add(1, Ordering::Relaxed) == 0 {
            self.cpu_before.store(cpu_time(), Ordering::Relaxed);
        }
        let elapsed = micros(self.base.elapsed());
        if deadline == 0 || elapsed <= deadline {
            return false;
        }
        let limit = self.limit.load(Ordering::Relaxed);
        let since = self.cpu_before.load(Ordering::Relaxed);
        elapsed - deadline > self.patience.load(Ordering::Relaxed)
            || cpu_time().saturating_sub(since) > limit
    }
}

/// The row id of the last INSERT seen by the update hook.
///
/// All sessions share one writer connection, so SQLite's own `last_insert_rowid` may stem from
/// another session's transaction.
#[derive(Default)]
pub(super) struct LastInserted {
    rowid: AtomicI64,
    count: AtomicU64,
}

impl LastInserted {
    /// The number of rows inserted so far, and the id of the last.
    pub(super) fn get(&self) -> (u64, i64) {
        let count = self.count.load(Ordering::Relaxed);
        (count, self.rowid.load(Ordering::Relaxed))
    }

    fn saw(&self, rowid: i64) {
        self.rowid.store(rowid, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

thread_local! {
    static LOG_PAGES: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Called within COMMIT, on the thread that commits.
fn note_log(_: &Wal, pages: c_int) -> rusqlite::Result<()> {
    LOG_PAGES.set(u64::try_from(pages).ok());
    Ok(())
}

/// Pages in the write-ahead log after the COMMIT that this thread has just run; `None` when it
/// wrote nothing. The size of the log file is no measure: a restarted log begins at the start of
/// the file without shortening it.
pub(super) fn take_log_pages() -> Option<u64> {
    LOG_PAGES.take()
}

/// Opens a connection for reading only.
pub(super) fn open_reader(options: &DatabaseOptions) -> rusqlite::Result<Opened> {
    let opened = open(options)?;
    opened.connection.busy_timeout(Duration::from_millis(250))?;
    opened.connection.pragma_update(None, "query_only", true)?;
    restrict(&opened)?;
    Ok(opened)
}

/// Opens the writer connection. It never blocks on locks.
pub(super) fn open_writer(options: &DatabaseOptions) -> rusqlite::Result<Opened> {
    let opened = open(options)?;
    let connection = &opened.connection;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "journal_size_limit", KEPT_LOG_BYTES)?;
    let level = match options.synchronous {
        Synchronous::Full => "full",
        Synchronous::Normal => "normal",
    };
    connection.pragma_update(None, "synchronous", level)?;
    // The hook replaces SQLite's automatic checkpoints: `checkpoint.rs` runs them on another
    // connection, off the commit path.
    connection.wal_hook(Some(note_log));
    connection.busy_timeout(Duration::ZERO)?;
    let inserted = Arc::clone(&opened.inserted);
    connection.update_hook(Some(
        move |action, _database: &str, _table: &str, rowid: i64| {
            if action == rusqlite::hooks::Action::SQLITE_INSERT {
                inserted.saw(rowid);
            }
        },
    ))?;
    restrict(&opened)?;
    Ok(opened)
}

fn open(options: &DatabaseOptions) -> rusqlite::Result<Opened> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let path = spindle_store::in_real_folder(&options.path);
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.pragma_update(None, "foreign_keys", true)?;
    // Query plans depend on the statement alone: otherwise SQLite re-plans some for each value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "mmap_size", 256_i64 << 20)?;
    connection.pragma_update(None, "cache_size", -2048)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Only the full-text index itself may write its shadow tables.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    Ok(Opened {
        connection,
        clock: Arc::new(StatementClock::new()),
        inserted: Arc::default(),
        schema: Arc::default(),
    })
}

fn restrict(opened: &Opened) -> rusqlite::Result<()> {
    let clock = Arc::clone(&opened.clock);
    opened
        .connection
        .progress_handler(STEPS_BETWEEN_CHECKS, Some(move || clock.is_over()))?;
    let schema = Arc::clone(&opened.schema);
    let ask = move |context: AuthContext<'_>| authorize(schema.get(), context);
    opened.connection.authorizer(Some(ask))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);
    const SLOW: Duration = Duration::from_millis(10);

    fn started() -> StatementClock {
        let clock = StatementClock::new();
        clock.start(LIMIT);
        assert!(!clock.is_over());
        clock
    }

    #[test]
    fn a_statement_that_had_to_wait_for_a_processor_is_not_slow() {
        let begin = Instant::now();
        let clock = started();
        assert_eq!(clock.took(LIMIT), None);
        std::thread::sleep(SLOW * 3);
        assert!(!clock.is_over());
        assert!(clock.took(LIMIT) < Some(begin.elapsed() / 2));
    }

    #[test]
    fn a_statement_that_waits_has_the_whole_time() {
        let clock = StatementClock::new();
        clock.start_within(Duration::from_millis(5), LIMIT);
        assert!(!clock.is_over());
        std::thread::sleep(SLOW);
        assert!(!clock.is_over());
        let begin = cpu_time();
        while cpu_time() - begin < 10_000 {}
        assert!(clock.is_over());
        clock.start_within(Duration::from_millis(5), Duration::from_millis(6));
        std::thread::sleep(SLOW);
        assert!(clock.is_over());
    }

    #[test]
    fn a_statement_that_computes_or_waits_for_long_is_slow() {
        let clock = started();
        let begin = cpu_time();
        while cpu_time() - begin < 20_000 {}
        assert!(!clock.is_over());
        assert!(clock.took(LIMIT) >= Some(SLOW * 2));

        let clock = started();
        std::thread::sleep(SLOW * WAITING_PART);
        assert!(!clock.is_over());
        assert!(clock.took(LIMIT) >= Some(SLOW));
    }
}
