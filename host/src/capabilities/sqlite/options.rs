//! The settings of a database and their defaults.
//!
//! Plain data: nothing here opens a file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::damage::Damage;
use crate::memory::Memory;
use crate::room::Room;

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// Loss of power: the log is flushed to disk before COMMIT is answered.
    Full,
    /// The end of the process, but not loss of power: the last transactions
    /// before it may be missing (never half of one).
    Normal,
}

/// Settings of a [`Database`](super::Database).
#[derive(Debug, Clone)]
pub struct DatabaseOptions {
    /// The SQLite file; created when absent.
    pub path: PathBuf,
    /// What an acknowledged write survives.
    pub synchronous: Synchronous,
    /// Most read connections open at once; each costs 100 KiB at first, and some MiB when it has prepared
    /// the statements of all components.
    pub max_readers: usize,
    /// Longest wait for the writer's turn, the file's lock or a read connection.
    pub wait_limit: Duration,
    /// Longest time a transaction may keep the writer.
    pub turn_limit: Duration,
    /// Longest time one statement of a guest may compute; one that waits for the disk or for the
    /// processor may take twice as long.
    pub statement_limit: Duration,
    /// Most transactions that share one flush to disk.
    pub group_size: usize,
    /// How long a group stays open while others wait; longer, up to ten times,
    /// where a flush to disk takes longer.
    pub group_window: Duration,
    /// Most bytes of one query result.
    pub max_result_bytes: usize,
    /// What rows are counted in while the host holds them for a guest.
    pub memory: Arc<Memory>,
    /// Asked before a guest writes, and told of writes that find no room.
    pub room: Option<Arc<Room>>,
    /// Told of statements that find the file damaged.
    pub damage: Arc<Damage>,
}

impl DatabaseOptions {
    /// The defaults for the file at `path`: durable, 32 readers, 5 s of patience.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            synchronous: Synchronous::Full,
            max_readers: 32,
            wait_limit: Duration::from_secs(5),
            turn_limit: Duration::from_secs(5),
            statement_limit: Duration::from_secs(2),
            group_size: 64,
            group_window: Duration::from_millis(2),
            // More has no room in an instance.
            max_result_bytes: 48 << 20,
            memory: Arc::default(),
            room: None,
            damage: Arc::default(),
        }
    }
}
