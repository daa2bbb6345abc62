//! How much unused memory the allocator may keep, and when it returns it to the system.
//!
//! One allocator (mimalloc) serves Rust code and SQLite. It keeps freed memory until it is called again, so an idle
//! server would still hold what it used in a busy hour. Apart from `runtime/precompiled.rs`, this is the only module of
//! the project that may contain unsafe code: a call of the allocator.

use crate::memory::Memory;
use std::sync::Arc;
use std::time::Duration;

// Links the allocator, which the binary installs for Rust code. Linking it also replaces the C library's, which SQLite
// calls.
use mimalloc as _;

#[allow(unsafe_code)]
mod allocator {
    use std::ffi::{c_int, c_long};

    /// The number of the option `purge_delay`, in milliseconds.
    pub(super) const PURGE_DELAY: c_int = 15;

    unsafe extern "C" {
        /// Frees what the allocator keeps for later; `force` also what it has kept for a short time only.
        pub(super) safe fn mi_collect(force: bool);
        /// Sets an option, unless the environment does.
        pub(super) safe fn mi_option_set_default(option: c_int, value: c_long);
        #[cfg(test)]
        pub(super) safe fn mi_option_get(option: c_int) -> c_long;
    }
}

/// How long free pages stay with the process for the next allocation. By default it is a second, which restarts with
/// each page that becomes free: under load the process held one and a half times what it used. A tenth of a second is
/// already too long for that, and no request is slower with less.
const KEPT_FREE_MILLIS: i64 = 10;

/// Has the allocator give free pages back soon. To be called once, at the start of the process.
pub fn configure() {
    allocator::mi_option_set_default(allocator::PURGE_DELAY, KEPT_FREE_MILLIS);
}

/// How long a thread for blocking work stays idle before it ends. Only then memory of its own that other threads have
/// freed returns to the system. The default is ten seconds; a little work each second, spread over the threads, then
/// kept every thread that a busy moment had needed.
pub const IDLE_THREAD: Duration = Duration::from_secs(1);

/// How often it is checked whether memory is worth giving back.
const PERIOD: Duration = Duration::from_secs(1);
/// A server that releases less than this in a period is quiet.
const QUIET: u64 = 1 << 20;
/// What was released since the last time makes it worth the time.
const MUCH: u64 = 16 << 20;

/// Returns unused memory of the allocator to the system. Takes some milliseconds, in which other allocations may wait.
pub fn give_back() {
    allocator::mi_collect(true);
}

/// Gives memory back whenever a server that was busy has become quiet, or when the process takes more than the budget
/// accounts for, as long as `memory` exists.
pub fn look_after(memory: &Arc<Memory>) {
    let memory = Arc::downgrade(memory);
    tokio::spawn(async move {
        let mut load = Load::default();
        loop {
            tokio::time::sleep(PERIOD).await;
            let Some(memory) = memory.upgrade() else {
                return;
            };
            let excess = anonymous().map_or(0, |bytes| memory.measure(bytes));
            let is_over = load.is_over(memory.released());
            drop(memory);
            if is_over || excess > 0 {
                // A failure would be a panic within the allocator: there is nothing to do about it.
                let _ = tokio::task::spawn_blocking(give_back).await;
            }
        }
    });
}

/// The anonymous memory of this process in bytes, where the system says it.
fn anonymous() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// What has been released so far, in bytes.
#[derive(Default)]
struct Load {
    /// A period ago.
    before: u64,
    /// When memory was last returned.
    handled: u64,
}

impl Load {
    /// Whether much was released since memory was last returned, and little in the last period.
    fn is_over(&mut self, released: u64) -> bool {
        let is_quiet = released.saturating_sub(self.before) < QUIET;
        self.before = released;
        let is_over = is_quiet && released.saturating_sub(self.handled) >= MUCH;
        if is_over {
            self.handled = released;
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Purpose;

    /// The option is addressed by its number; its default value shows that the number is right.
    #[test]
    fn free_pages_are_kept_for_a_short_time() {
        let delay = || allocator::mi_option_get(allocator::PURGE_DELAY);
        assert_eq!(delay(), 1000);
        configure();
        assert_eq!(delay(), KEPT_FREE_MILLIS);
    }

    #[test]
    fn what_is_in_use_stays() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE rows (content);
                 INSERT INTO rows VALUES (zeroblob(1000000)), ('here');
                 DELETE FROM rows WHERE typeof(content) = 'blob'",
            )
            .unwrap();
        give_back();
        let content: String = connection
            .query_row("SELECT content FROM rows", [], |row| row.get(0))
            .unwrap();
        assert_eq!(content, "here");
    }

    #[test]
    fn memory_is_given_back_once_when_the_load_is_over() {
        let memory = Memory::of(1 << 30);
        let mut load = Load::default();
        let mut is_over = |released: u64| {
            drop(memory.try_hold(Purpose::Transfers, released).unwrap());
            load.is_over(memory.released())
        };
        assert!(!is_over(0), "nothing was in use");
        assert!(!is_over(MUCH), "there may be more");
        assert!(is_over(QUIET - 1));
        assert!(!is_over(0), "nothing since");
        assert!(!is_over(QUIET));
        assert!(!is_over(0), "too little since");
        assert!(!is_over(MUCH) && !is_over(QUIET), "not quiet");
        assert!(is_over(0));
    }
}
