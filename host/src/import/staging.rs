//! The folder in which an import is built, and its final rename.
//!
//! The folder is within the data directory, on the same disk as the final files. The database is
//! renamed last: before that, a server finds no database, and another import may begin anew.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::backup::{create_directories, sync_directory};
use crate::claim::{Claim, LOCKS};
use crate::data_dir::DataDir;

const FOLDER: &str = "importing";
/// Files that a data directory may hold and still count as empty.
const HARMLESS: [&str; 4] = [FOLDER, LOCKS[0], LOCKS[1], "spindle.toml"];

/// A claimed data directory. An import that is not settled is removed.
#[derive(Debug)]
pub(super) struct Staging {
    directory: PathBuf,
    folder: PathBuf,
    /// Whether the directory was not there before.
    is_new: bool,
    had_locks: bool,
    is_settled: bool,
    _claim: Claim,
}

impl Staging {
    /// Claims a data directory that is empty or does not exist.
    pub(super) fn claim(data: &DataDir) -> Result<Self> {
        let directory = data.path().to_owned();
        let is_new = !directory.exists();
        let had_locks = LOCKS.iter().any(|lock| directory.join(lock).exists());
        require_empty(&directory)?;
        data.create()?;
        let claim = data.claim("spindle admin import")?;
        let staging = Self {
            folder: data.importing(),
            directory,
            is_new,
            had_locks,
            is_settled: false,
            _claim: claim,
        };
        // The directory is claimed now; a file may have appeared before.
        require_empty(&staging.directory)?;
        staging.remove_remains()?;
        create_directories(&staging.folder)?;
        Ok(staging)
    }

    /// A file of the import.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A new folder of the import.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name);
        create_directories(&path)?;
        Ok(path)
    }

    /// Puts files and database where a server looks for them.
    pub(super) fn settle(mut self, data: &DataDir) -> Result<()> {
        fs::rename(self.path("blobs"), data.blobs()).context("putting the files in their place")?;
        sync_directory(&self.directory)?;
        fs::rename(self.path("spindle.db"), data.database())
            .context("putting the database in its place")?;
        self.is_settled = true;
        fs::remove_dir_all(&self.folder)
            .context("removing what the import does not need any more")?;
        sync_directory(&self.directory)
    }

    /// Removes the files of an import that was killed.
    fn remove_remains(&self) -> Result<()> {
        if self.folder.exists() {
            remove(&self.directory.join("blobs"))?;
            remove(&self.folder)?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        // The next import removes the files that this one cannot.
        let _ = self.remove_remains();
        if !self.had_locks {
            for lock in LOCKS {
                let _ = fs::remove_file(self.directory.join(lock));
            }
        }
        if self.is_new {
            let _ = fs::remove_dir(&self.directory);
        }
    }
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| folder.display().to_string())
        }
        _ => Ok(()),
    }
}

fn require_empty(directory: &Path) -> Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.with_context(|| directory.display().to_string())?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    // Files that had just been renamed when an import was killed.
    let is_remains = names.iter().any(|name| name == FOLDER);
    let is_harmless =
        |name: &String| HARMLESS.contains(&name.as_str()) || (is_remains && name == "blobs");
    if names.iter().all(is_harmless) {
        return Ok(());
    }
    bail!(
        "{} is not empty: an archive is imported into a data directory of its own",
        directory.display()
    )
}
