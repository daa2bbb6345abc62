//! Rotation of backups in one directory, each named by its time: adds a new backup and removes older
//! ones beyond a number.
//!
//! Owns the names; must not remove a directory with another name, nor the target of a link. The new
//! backup is never removed, and older ones are removed only when it is complete.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use jiff::Timestamp;

use super::create::{Source, create};
use super::manifest::{FILE_NAME, Manifest};
use spindle_config::durable;

/// The name of a backup: sorts by time and is valid on every file system.
const PATTERN: &str = "spindle-%Y%m%dT%H%M%SZ";

/// The result of [`create_and_keep`].
#[derive(Clone, Debug)]
pub struct Rotated {
    /// The new backup.
    pub path: PathBuf,
    /// The manifest of the new backup.
    pub manifest: Manifest,
    /// Removed backups: older ones, and ones that were never completed.
    pub removed: Vec<PathBuf>,
}

/// Writes a backup of `source` into a new directory of `folder`, named by `now` (UNIX seconds), then
/// removes all but the newest `keep` of the backups there; at least the new one stays.
///
/// # Errors
/// As [`create`], in which case the new backup is deleted and no other is removed; another backup is
/// being written to the directory; or an older one cannot be removed.
pub fn create_and_keep(source: &Source, folder: &Path, keep: usize, now: u64) -> Result<Rotated> {
    durable::create_directories(folder)?;
    let _turn = turn(folder)?;
    let (path, now) = free_name(folder, now)?;
    let manifest = match create(source, &path, now) {
        Ok(manifest) => manifest,
        Err(error) => {
            // An unfinished backup would only use the space that the next one needs.
            let _ = fs::remove_dir_all(&path);
            return Err(error);
        }
    };
    durable::sync_directory(folder)?;
    let removed = remove_older(folder, &path, keep)?;
    Ok(Rotated {
        path,
        manifest,
        removed,
    })
}

/// A name that no backup in `folder` has, and its time: another one may have been written within this second.
fn free_name(folder: &Path, now: u64) -> Result<(PathBuf, u64)> {
    for second in 0..5 {
        let path = folder.join(name(now + second)?);
        if !path.exists() {
            return Ok((path, now + second));
        }
        thread::sleep(Duration::from_secs(1));
    }
    bail!("{} exists already", folder.join(name(now)?).display())
}

/// The backups in the directory of `backup`, if it is one of [`create_and_keep`]; else `backup` alone.
#[must_use]
pub fn beside(backup: &Path) -> Vec<PathBuf> {
    let name = backup.file_name().and_then(|name| name.to_str());
    let folder = backup.parent().filter(|_| name.is_some_and(is_name));
    let found = folder.and_then(|folder| named(folder).ok());
    found.unwrap_or_else(|| vec![backup.to_owned()])
}

/// The newest complete backup in a directory of [`create_and_keep`].
pub(super) fn newest(folder: &Path) -> Option<PathBuf> {
    let mut found = named(folder).ok()?;
    found.retain(|path| is_complete(path));
    found.pop()
}

/// Locks the directory: two concurrent writers would each treat the other's backup as unfinished.
fn turn(folder: &Path) -> Result<File> {
    let held = File::open(folder).with_context(|| folder.display().to_string())?;
    match held.try_lock() {
        Ok(()) => Ok(held),
        Err(TryLockError::WouldBlock) => {
            bail!("another backup is being written to {}", folder.display())
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| folder.display().to_string()),
    }
}

fn name(now: u64) -> Result<String> {
    let time = Timestamp::from_second(i64::try_from(now)?).map_err(|error| anyhow!("{error}"))?;
    Ok(time.strftime(PATTERN).to_string())
}

/// Whether a name is one that [`name`] gives.
fn is_name(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    shape == "spindle-00000000T000000Z"
}

/// Directories in `folder` with such names, oldest first.
fn named(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry.with_context(|| folder.display().to_string())?;
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && entry.file_name().to_str().is_some_and(is_name) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn is_complete(path: &Path) -> bool {
    path.join(FILE_NAME).is_file()
}

/// Removes backups beyond `keep`, and unfinished ones. `new` counts as one and is kept even if others
/// have later names because the clock was ahead.
fn remove_older(folder: &Path, new: &Path, keep: usize) -> Result<Vec<PathBuf>> {
    let (mut removed, mut kept) = (Vec::new(), 1);
    let older = named(folder)?.into_iter().rev();
    for path in older.filter(|path| path != new) {
        if is_complete(&path) && kept < keep {
            kept += 1;
            continue;
        }
        remove(&path).with_context(|| format!("removing {}", path.display()))?;
        removed.push(path);
    }
    Ok(removed)
}

/// Removes a backup, its manifest first: an interrupted removal leaves an unfinished backup, which the
/// next rotation removes.
fn remove(path: &Path) -> Result<()> {
    if is_complete(path) {
        fs::remove_file(path.join(FILE_NAME))?;
        durable::sync_directory(path)?;
    }
    Ok(fs::remove_dir_all(path)?)
}

#[cfg(test)]
mod tests {
    use super::{is_name, name};

    #[test]
    fn names_are_times_and_nothing_else_is_one() {
        let made = name(1_795_317_300).unwrap();
        assert_eq!(made, "spindle-20261122T031500Z");
        assert!(is_name(&made) && name(0).unwrap() < made);
        for other in [
            "",
            "spindle-monday",
            "spindle-20261122T031500Z.old",
            "my-spindle-20261122T031500Z",
            "spindle-20261122t031500Z",
            "before-upgrade",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }
}
