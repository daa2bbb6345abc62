//! Durable copying and checksums of files: when a function returns, its files are on the disk.
//!
//! All files are created private to their owner, and no file is overwritten. Must not know what the
//! files mean.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

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

/// Length and checksum of `root`/`path`.
pub(super) fn describe(root: &Path, path: &str) -> Result<Entry> {
    let full = root.join(path);
    let mut file = File::open(&full).with_context(|| full.display().to_string())?;
    let (bytes, sha256) =
        copy(&mut file, &mut io::sink()).with_context(|| full.display().to_string())?;
    Ok(Entry {
        path: path.to_owned(),
        bytes,
        sha256,
    })
}

/// Copies a file into a new one of mode 0600, below directories of mode 0700. Returns whether the
/// source existed.
pub(super) fn copy_new(from: &Path, to: &Path) -> Result<bool> {
    let mut source = match File::open(from) {
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
        .with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(true)
}

/// As [`copy_new`], for a file that must exist.
pub(super) fn copy_existing(from: &Path, to: &Path) -> Result<()> {
    if !copy_new(from, to)? {
        bail!("{} is not there", from.display());
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

/// Removes the permissions of other users from a file that a library has written, and syncs it.
pub(crate) fn make_private_and_sync(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|file| {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
            file.sync_all()
        })
        .with_context(|| path.display().to_string())
}

/// Creates the directory `path` and its parents; new directories are private to their owner.
pub(crate) fn create_directories(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
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

/// Syncs a directory, which makes the names in it durable.
pub(crate) fn sync_directory(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|directory| directory.sync_all())
        .with_context(|| path.display().to_string())
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
