//! The lock on a data directory: one server at a time, of either kind.
//!
//! `spindle serve` and `spindle events` write the same files next to the database, so each takes both locks; earlier
//! versions took one of them each. Spin itself takes none: it shares only the database, under SQLite's own locks. The
//! commands of administration decide what they may do while a server runs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::data_dir::open_own;

/// The files that are locked, in this order.
pub const LOCKS: [&str; 2] = ["spindle.lock", "spindle-events.lock"];

/// How long a start waits for a command that holds the lock for a moment to read or migrate.
const TIMEOUT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// Longest description of a holder that is read, in bytes.
const DESCRIPTION: u64 = 200;

/// Why a directory cannot be locked.
#[derive(Debug, Error)]
pub enum ClaimError {
    /// Another server runs on it.
    #[error(
        "another server runs on {folder} ({holder}): stop it first, or choose another directory"
    )]
    Taken {
        folder: PathBuf,
        /// What runs there.
        holder: String,
    },
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The locks on a directory, held while a server runs; the system releases them when the process ends,
/// in whatever way.
#[derive(Debug)]
pub struct Claim {
    _files: Vec<File>,
}

/// Locks a directory for this process, which is described as `name`.
///
/// # Errors
/// [`ClaimError::Taken`] while another process has it.
pub fn claim(folder: &Path, name: &str) -> Result<Claim, ClaimError> {
    let until = Instant::now() + TIMEOUT;
    let mut files = Vec::new();
    for lock in LOCKS {
        let path = folder.join(lock);
        let at = |source| ClaimError::Io {
            path: path.clone(),
            source,
        };
        let mut options = OpenOptions::new();
        options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600);
        let file = open_own(&path, &mut options).map_err(at)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(ClaimError::Taken {
                        folder: folder.to_owned(),
                        holder: description(file, lock),
                    });
                }
                Err(TryLockError::Error(source)) => return Err(at(source)),
            }
        }
        // The description is only for people, so a full disk does not matter.
        let version = env!("CARGO_PKG_VERSION");
        let process = std::process::id();
        let text = format!("{name} {version}, process {process}\n");
        let _ = file
            .set_len(0)
            .and_then(|()| (&file).write_all(text.as_bytes()));
        files.push(file);
    }
    Ok(Claim { _files: files })
}

/// The description of the process that runs on a directory, if any.
pub fn holder(folder: &Path) -> io::Result<Option<String>> {
    for lock in LOCKS {
        let file = match open_own(&folder.join(lock), OpenOptions::new().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Some(description(file, lock))),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// The directory of a database file.
#[must_use]
pub fn folder_of(database: &Path) -> &Path {
    match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn description(file: File, lock: &str) -> String {
    let mut text = String::new();
    let read = file.take(DESCRIPTION).read_to_string(&mut text);
    match (read, text.trim()) {
        (Ok(_), text) if !text.is_empty() => text.to_owned(),
        // Earlier versions wrote no description.
        _ if lock == LOCKS[0] => "spindle serve".to_owned(),
        _ => "spindle events".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_at_a_time_whatever_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(holder(folder.path()).unwrap(), None);
        let first = claim(folder.path(), "spindle serve").unwrap();
        let refusal = claim(folder.path(), "spindle events").unwrap_err();
        let said = refusal.to_string();
        assert!(said.contains("(spindle serve "), "{said}");
        assert!(said.contains(&std::process::id().to_string()), "{said}");
        assert!(holder(folder.path()).unwrap().is_some());
        drop(first);
        assert_eq!(holder(folder.path()).unwrap(), None);
        claim(folder.path(), "spindle events").unwrap();
    }

    #[test]
    fn earlier_versions_are_seen_by_the_lock_that_they_take() {
        for (lock, name) in LOCKS.into_iter().zip(["spindle serve", "spindle events"]) {
            let folder = tempfile::tempdir().unwrap();
            let file = File::create(folder.path().join(lock)).unwrap();
            file.lock().unwrap();
            assert_eq!(holder(folder.path()).unwrap().as_deref(), Some(name));
            assert!(claim(folder.path(), "spindle serve").is_err());
        }
    }

    #[test]
    fn a_link_is_not_written_through() {
        for (number, lock) in LOCKS.into_iter().enumerate() {
            for is_hard in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let other = folder.path().join("other");
                std::fs::write(&other, "text").unwrap();
                let link = folder.path().join(lock);
                if is_hard {
                    std::fs::hard_link(&other, &link).unwrap();
                } else {
                    std::os::unix::fs::symlink(&other, &link).unwrap();
                }
                let refusal = claim(folder.path(), "x").unwrap_err().to_string();
                assert!(refusal.contains(lock), "{number}: {refusal}");
                assert!(refusal.contains("link"), "{refusal}");
                assert!(holder(folder.path()).is_err());
                assert_eq!(std::fs::read_to_string(&other).unwrap(), "text");
            }
        }
    }

    #[test]
    fn a_database_without_a_folder_lies_here() {
        assert_eq!(folder_of(Path::new("x.db")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/x.db")), Path::new("a"));
    }
}
