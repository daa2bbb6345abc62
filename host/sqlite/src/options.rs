//! The settings of a database and their defaults.
//!
//! Plain data: nothing here opens a file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::damage::Damage;
use spindle_admission::memory::Memory;
use spindle_system::disk_space::DiskSpace;

/// The durability of an acknowledged write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// Survives loss of power: the log is flushed to disk before COMMIT is answered.
    Full,
    /// Survives the end of the process, but not loss of power: the last transactions before it may
    /// be missing (never half of one).
    Normal,
}

/// Settings of a [`Database`](super::Database).
#[derive(Debug, Clone)]
pub struct DatabaseOptions {
    /// The SQLite file; created when absent.
    pub path: PathBuf,
    /// The durability of an acknowledged write.
    pub synchronous: Synchronous,
    /// Most open read connections; each costs 100 KiB at first, and some MiB when it has prepared the statements of all
    /// components.
    pub max_readers: usize,
    /// Longest wait for the writer lock, the file's lock or a read connection.
    pub wait_limit: Duration,
    /// Longest time a write transaction may stay open.
    pub transaction_limit: Duration,
    /// Most processor time of one statement of a guest; a statement that waits for the disk or for
    /// the processor may take twice as long, a slow read four times.
    pub statement_limit: Duration,
    /// Most transactions that share one flush to disk.
    pub group_size: usize,
    /// How long a group stays open while transactions are queued, at least; up to ten times that where
    /// flushes take long.
    pub group_window: Duration,
    /// Most bytes of one query result.
    pub max_result_bytes: usize,
    /// The budget that counts rows while the host holds them for a guest.
    pub memory: Arc<Memory>,
    /// Checked before a guest writes, and notified of writes that fail for lack of space.
    pub disk_space: Option<Arc<DiskSpace>>,
    /// Notified of statements that find the file corrupt.
    pub damage: Arc<Damage>,
    /// The first commit of each transaction is answered as if another one had undone it.
    pub repeat_changes: bool,
}

impl DatabaseOptions {
    /// The defaults for the file at `path`: durable, 32 readers, 5 s of waiting.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            synchronous: Synchronous::Full,
            max_readers: 32,
            wait_limit: Duration::from_secs(5),
            transaction_limit: Duration::from_secs(5),
            statement_limit: Duration::from_secs(2),
            group_size: 64,
            group_window: Duration::from_millis(2),
            // A larger result does not fit into an instance.
            max_result_bytes: 48 << 20,
            memory: Arc::default(),
            disk_space: None,
            damage: Arc::default(),
            repeat_changes: false,
        }
    }
}
