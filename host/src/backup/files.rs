//! Durable copying and checksums of files: when a function returns, its files are on the disk.
//!
//! All files are created private to their owner, and no file is overwritten.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use spindle_config::durable::create_directories;

const CHUNK: usize = 1 << 16;

/// One file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Entry {
    /// Path below the backup's directory, with `/`.
    pub path: String,
    /// Length.
    pub bytes: u64,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
}

/// Opens the regular file `root`/`path` without following links below `root` and without blocking on a pipe.
pub(super) fn open_regular(root: &Path, path: &str) -> io::Result<File> {
    let irregular =
        || io::Error::other("it is not a regular file, or a folder on its path is a link");
    let mut folder = root.to_owned();
    for part in path.split('/') {
        if folder != root && !fs::symlink_metadata(&folder)?.is_dir() {
            return Err(irregular());
        }
        folder.push(part);
    }
    if !fs::symlink_metadata(&folder)?.is_file() {
        return Err(irregular());
    }
    // Check the opened file, since the path may have changed.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(&folder)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(irregular()),
    }
}

/// Length and checksum of `root`/`path`.
pub(super) fn describe(root: &Path, path: &str) -> Result<Entry> {
    let full = || root.join(path).display().to_string();
    let mut file = open_regular(root, path).with_context(full)?;
    let (bytes, sha256) = copy(&mut file, &mut io::sink()).with_context(full)?;
    Ok(Entry {
        path: path.to_owned(),
        bytes,
        sha256,
    })
}

/// Copies `root`/`path` into a new file of mode 0600, below directories of mode 0700. Returns whether the source existed;
/// when it cannot be copied, nothing is left.
pub(super) fn copy_new(root: &Path, path: &str, to: &Path) -> Result<bool> {
    let from = root.join(path);
    let mut source = match open_regular(root, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.with_context(|| from.display().to_string())?,
    };
    if let Some(parent) = to.parent() {
        create_directories(parent)?;
    }
    let mut target = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(to)
        .with_context(|| to.display().to_string())?;
    copy(&mut source, &mut target)
        .and_then(|_| target.sync_all())
        .inspect_err(|_| {
            let _ = fs::remove_file(to);
        })
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(true)
}

/// As [`copy_new`], for a file that must exist.
pub(super) fn copy_existing(root: &Path, path: &str, to: &Path) -> Result<()> {
    if !copy_new(root, path, to)? {
        bail!("{} is not there", root.join(path).display());
    }
    Ok(())
}

/// Writes a new file of mode 0600.
pub(super) fn write_new(path: &Path, text: &str) -> Result<()> {
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .with_context(|| path.display().to_string())?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .with_context(|| path.display().to_string())
}

/// Refuses a directory that is not empty.
pub(super) fn require_empty(path: &Path) -> Result<()> {
    match fs::read_dir(path) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => bail!("{} is not empty", path.display()),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Empties a directory. Links are removed, not followed.
pub(super) fn clear(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Paths of all files below `root`, sorted, relative to it, with `/`.
pub(super) fn list(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    collect(root, "", &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<String>) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.with_context(|| folder.display().to_string())?,
    };
    for entry in entries {
        let entry = entry.with_context(|| folder.display().to_string())?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            bail!("{} has a name that is no text", entry.path().display())
        };
        let kind = entry
            .file_type()
            .with_context(|| entry.path().display().to_string())?;
        if kind.is_dir() {
            collect(&entry.path(), &format!("{prefix}{name}/"), found)?;
        } else if kind.is_file() {
            found.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

fn copy(source: &mut File, target: &mut impl io::Write) -> io::Result<(u64, String)> {
    let mut digest = Sha256::new();
    let mut total = 0;
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = source.read(&mut buffer)?;
        let Some(chunk) = buffer.get(..read).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        digest.update(chunk);
        target.write_all(chunk)?;
        total += chunk.len() as u64;
    }
    let hexadecimal = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok((total, hexadecimal))
}
