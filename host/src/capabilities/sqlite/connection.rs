//! Opening connections: pragmas, limits, the statement clock.
//!
//! Every connection a guest's statement can reach is opened here, with the
//! authorizer in place. What that denies to everybody is denied to native code
//! on these connections too; code that must attach or vacuum opens its own
//! connection.

use super::authorizer::authorize;
use super::options::{DatabaseOptions, Synchronous};
use super::schema::Schema;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthContext, Wal};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Prepared statements kept by each connection.
const STATEMENT_CACHE: usize = 256;
/// Steps of SQLite's virtual machine between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 20_000;
/// Looks at the clock in a statement that has much to do.
const LOOKS_OF_WORK: u32 = 2;
/// How many times its limit a statement may take that waits for the disk or for the processor.
const STRETCH: u32 = 2;

/// A connection with what the host attached to it.
pub(super) struct Opened {
    pub(super) connection: Connection,
    pub(super) clock: Arc<StatementClock>,
    pub(super) inserted: Arc<LastInserted>,
    /// Read when a component first uses the connection.
    schema: Arc<OnceLock<Schema>>,
}

impl Opened {
    /// Makes sure that the authorizer knows what the database holds.
    pub(super) fn know_schema(&self) -> rusqlite::Result<()> {
        if self.schema.get().is_none() {
            let schema = Schema::read(&self.connection)?;
            self.schema.get_or_init(|| schema);
        }
        Ok(())
    }
}

/// When the running statement must end; read by the progress handler.
///
/// A machine whose disk or processor is taken makes each statement slow. So beyond its limit a
/// statement is stopped when it has computed that long, or at [`STRETCH`] times the limit.
pub(super) struct StatementClock {
    base: Instant,
    /// Microseconds after `base`; 0 while nothing is limited.
    deadline: AtomicU64,
    /// Microseconds.
    limit: AtomicU64,
    /// What the thread had computed at the first look, in microseconds.
    computed_before: AtomicU64,
    /// Looks at the clock since it was started.
    looks: AtomicU32,
}

/// What this thread has computed so far, in microseconds.
fn computed() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let micros = time.tv_sec * 1_000_000 + time.tv_nsec / 1000;
    u64::try_from(micros).unwrap_or_default()
}

impl StatementClock {
    fn new() -> Self {
        Self {
            base: Instant::now(),
            deadline: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            computed_before: AtomicU64::new(0),
            looks: AtomicU32::new(0),
        }
    }

    /// Gives statements run from now on `limit`, until `clear`.
    pub(super) fn start(&self, limit: Duration) {
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let deadline = micros(self.base.elapsed() + limit);
        self.deadline.store(deadline.max(1), Ordering::Relaxed);
        self.limit.store(micros(limit), Ordering::Relaxed);
        self.looks.store(0, Ordering::Relaxed);
    }

    /// What the statement took for which the clock was started with `limit`; none when it did too
    /// little for that to tell anything but how busy the machine is.
    pub(super) fn took(&self, limit: Duration) -> Option<Duration> {
        if self.looks.load(Ordering::Relaxed) < LOOKS_OF_WORK {
            return None;
        }
        let deadline = Duration::from_micros(self.deadline.load(Ordering::Relaxed));
        Some((self.base.elapsed() + limit).saturating_sub(deadline))
    }

    /// Lifts the limit.
    pub(super) fn clear(&self) {
        self.deadline.store(0, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        if self.looks.fetch_add(1, Ordering::Relaxed) == 0 {
            self.computed_before.store(computed(), Ordering::Relaxed);
        }
        let elapsed = u64::try_from(self.base.elapsed().as_micros()).unwrap_or(u64::MAX);
        if deadline == 0 || elapsed <= deadline {
            return false;
        }
        let limit = self.limit.load(Ordering::Relaxed);
        let since = self.computed_before.load(Ordering::Relaxed);
        elapsed - deadline > limit.saturating_mul(u64::from(STRETCH - 1))
            || computed().saturating_sub(since) > limit
    }
}

/// The row id of the last INSERT seen by the update hook.
///
/// Needed because one writer connection serves everybody: SQLite's own
/// `last_insert_rowid` may stem from somebody else's transaction.
#[derive(Default)]
pub(super) struct LastInserted {
    rowid: AtomicI64,
    count: AtomicU64,
}

impl LastInserted {
    /// How many rows were inserted so far, and the id of the last.
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

/// Pages in the write-ahead log after the COMMIT that this thread has just run; none when it
/// has written nothing. The size of the log's file would not tell: the log starts anew at the
/// beginning of a file that stays as long as it was.
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

/// Opens the one connection that writes. It never waits for locks itself.
pub(super) fn open_writer(options: &DatabaseOptions) -> rusqlite::Result<Opened> {
    let opened = open(options)?;
    let connection = &opened.connection;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    let level = match options.synchronous {
        Synchronous::Full => "full",
        Synchronous::Normal => "normal",
    };
    connection.pragma_update(None, "synchronous", level)?;
    // Instead of SQLite's own checkpoints, which this replaces: ours run on a connection of
    // their own, off the path of commits.
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
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&options.path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.pragma_update(None, "foreign_keys", true)?;
    // A plan depends on the statement alone: else SQLite makes some of them anew for each value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "mmap_size", 256_i64 << 20)?;
    connection.pragma_update(None, "cache_size", -2048)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // The tables of the full-text index are written by the index only.
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
        .progress_handler(STEPS_BETWEEN_LOOKS, Some(move || clock.is_over()))?;
    let schema = Arc::clone(&opened.schema);
    let ask = move |context: AuthContext<'_>| authorize(schema.get(), context);
    opened.connection.authorizer(Some(ask))
}
