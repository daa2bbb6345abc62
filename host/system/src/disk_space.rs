//! Free space on the disk of the data directory.
//!
//! Owns the decision whether writes are refused, which is updated every second and after failed writes,
//! and its log records and metric. Guests' writes check it first, so that a reserve stays for essential
//! writes: positions of queues, checkpoints, the next start, and changes that free space.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time between two checks.
const EVERY: Duration = Duration::from_secs(1);
/// Bytes that must be writable after a failed write before writes are allowed again.
const PROBE: usize = 256 << 10;
/// Name of the file that tests this.
const PROBE_NAME: &str = ".room";

/// The free space of a directory's disk.
#[derive(Debug)]
pub struct DiskSpace {
    folder: PathBuf,
    /// Bytes that must stay free.
    reserve: u64,
    is_short: AtomicBool,
    /// A write has failed, or less than half of the reserve is free.
    is_reserve_used: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Why writes are refused.
    reason: Option<String>,
    /// Whether a write has failed, as opposed to the reserve being reached.
    has_failed: bool,
}

impl DiskSpace {
    /// Checks the directory for the first time. `reserve`: bytes of its disk that must stay free.
    #[must_use]
    pub fn new(folder: &Path, reserve: u64) -> Arc<Self> {
        let disk_space = Self {
            folder: folder.to_owned(),
            reserve,
            is_short: AtomicBool::new(false),
            is_reserve_used: AtomicBool::new(false),
            state: Mutex::default(),
        };
        disk_space.update();
        Arc::new(disk_space)
    }

    /// Checks again every second until all other references are dropped. Must be called within a tokio
    /// runtime.
    pub fn watch(self: &Arc<Self>) {
        let disk_space = Arc::downgrade(self);
        metrics::gauge!("spindle_disk_full").set(f64::from(u8::from(self.is_short())));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                let Some(disk_space) = disk_space.upgrade() else {
                    return;
                };
                // An unresponsive disk must not block other tasks.
                let updating = tokio::task::spawn_blocking(move || disk_space.update());
                if let Err(error) = updating.await {
                    tracing::error!(%error, "the free space of the disk cannot be read");
                }
            }
        });
    }

    /// Whether guests' writes are refused now.
    pub fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// Whether even the writes are refused that free space or contain damage, such as the deactivation of the account
    /// that fills the disk. These may use half of the reserve.
    pub fn is_reserve_used(&self) -> bool {
        self.is_reserve_used.load(Ordering::Relaxed)
    }

    /// The check for `/health/ready`.
    ///
    /// # Errors
    /// Why writes are refused.
    pub fn check(&self) -> Result<(), String> {
        match &self.state().reason {
            None => Ok(()),
            Some(reason) => Err(reason.clone()),
        }
    }

    /// Records that a write has failed for lack of space.
    pub fn failed(&self, error: &dyn Display) {
        let mut state = self.state();
        state.has_failed = true;
        self.is_reserve_used.store(true, Ordering::Relaxed);
        let reason = format!("a write has failed: {error}");
        self.is_now(&mut state, Some(reason));
    }

    fn update(&self) {
        let free = rustix::fs::statvfs(&self.folder)
            .ok()
            .map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        self.apply(free, || probe(&self.folder));
    }

    /// Updates the state; `fits` tests whether something can be written. Unknown free space counts as
    /// enough.
    fn apply(&self, free: Option<u64>, fits: impl FnOnce() -> io::Result<()>) {
        let mut state = self.state();
        // A shortage ends only somewhat above the reserve, so that the state does not oscillate.
        let wanted = match &state.reason {
            Some(_) => self.reserve.saturating_add(self.reserve / 8),
            None => self.reserve,
        };
        let misfit = if state.has_failed { fits().err() } else { None };
        state.has_failed = misfit.is_some();
        let is_used = free.is_some_and(|free| free < self.reserve / 2) || state.has_failed;
        self.is_reserve_used.store(is_used, Ordering::Relaxed);
        let reason = match free {
            Some(free) if free < wanted => Some(format!(
                "{} MiB are free on the disk, and {} MiB are kept in reserve",
                free >> 20,
                self.reserve >> 20
            )),
            _ => misfit.map(|error| format!("nothing fits: {error}")),
        };
        self.is_now(&mut state, reason);
    }

    fn is_now(&self, state: &mut State, reason: Option<String>) {
        match (&state.reason, &reason) {
            (None, Some(reason)) => {
                tracing::error!(
                    reason,
                    "the disk is full: writes are refused until space is free"
                );
            }
            (Some(_), None) => {
                tracing::info!("the disk has space again: writes are accepted");
            }
            _ => {}
        }
        let is_short = reason.is_some();
        state.reason = reason;
        self.is_short.store(is_short, Ordering::Relaxed);
        metrics::gauge!("spindle_disk_full").set(f64::from(u8::from(is_short)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an error means lack of space: on the disk, in a quota, or for the size of a file.
#[must_use]
pub fn is_out_of_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Writes a test file and removes it.
fn probe(folder: &Path) -> io::Result<()> {
    let path = folder.join(PROBE_NAME);
    let written = fs::File::create(&path).and_then(|mut file| {
        file.write_all(&vec![0; PROBE])?;
        file.sync_all()
    });
    let removed = fs::remove_file(&path);
    written.and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn full() -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    #[test]
    fn the_reserve_is_kept_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let disk_space = DiskSpace::new(folder.path(), 0);
        assert!(!disk_space.is_short());
        let disk_space = DiskSpace::new(folder.path(), u64::MAX);
        assert!(disk_space.is_short(), "checked from the beginning");
        assert!(disk_space.check().unwrap_err().contains("reserve"));

        let disk_space = DiskSpace {
            folder: folder.path().to_owned(),
            reserve: 64 * MIB,
            is_short: AtomicBool::new(false),
            is_reserve_used: AtomicBool::new(false),
            state: Mutex::default(),
        };
        let mut found = Vec::new();
        for free in [65, 63, 31, 33, 65, 71, 73, 65] {
            disk_space.apply(Some(free * MIB), full);
            assert_eq!(disk_space.is_short(), disk_space.check().is_err());
            assert_eq!(disk_space.is_reserve_used(), free == 31);
            found.push(disk_space.is_short());
        }
        assert_eq!(found, [false, true, true, true, true, true, false, false]);
        // A failed write uses up the reserve until something fits.
        disk_space.failed(&"database or disk is full");
        for (fits, is_used) in [(full(), true), (Ok(()), false)] {
            assert!(disk_space.is_reserve_used());
            disk_space.apply(Some(40 * MIB), || fits);
            assert_eq!(disk_space.is_reserve_used(), is_used);
            assert!(disk_space.is_short());
        }
        disk_space.apply(None, full);
        assert!(!disk_space.is_short(), "unknown free space refuses nothing");
    }

    #[test]
    fn after_a_failed_write_something_has_to_fit() {
        let folder = tempfile::tempdir().unwrap();
        let disk_space = DiskSpace::new(folder.path(), 0);
        disk_space.failed(&"database or disk is full");
        assert!(disk_space.check().unwrap_err().contains("disk is full"));
        disk_space.apply(Some(MIB), full);
        assert!(disk_space.is_short());
        disk_space.apply(Some(MIB), || probe(folder.path()));
        assert!(!disk_space.is_short());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // A later check does not write a test file.
        disk_space.apply(Some(MIB), full);
        assert!(!disk_space.is_short());
    }

    #[test]
    fn a_full_disk_has_several_names() {
        for (code, is_full) in [(28, true), (122, true), (27, true), (5, false), (13, false)] {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(is_out_of_space(&error), is_full, "{error}");
        }
    }
}
