//! The folder in which an import is built, and its final rename.
//!
//! The folder is within the data directory, on the same disk as the final files. The database is renamed last: until
//! then a server finds no database, and an import can start over.
//!
//! Where the database is on a server, nodes share the folder of files: it may be a place of its own, which is kept and cannot be
//! renamed. Files are then written to it right away, and removed from it when the import fails. A note in the folder of the
//! import says to which database they belong.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::transfer;
use spindle_config::DatabaseUrl;
use spindle_config::claim::{Claim, LOCKS, claim};
use spindle_config::data_dir::{DataDir, DataDirError, write_private};
use spindle_config::durable::{create_directories, sync_directory};
use spindle_database::Location;

const FOLDER: &str = "importing";
/// The folder of files, in a data directory and in an import's.
const FILES: &str = "blobs";
/// In the folder of an import onto a server: the database.
const NOTE: &str = "database";
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
    /// The name of the database on a server; nodes share the files then.
    database: Option<String>,
    had_files: bool,
    is_settled: bool,
    _claim: Claim,
}

impl Staging {
    /// Claims a data directory that is empty or does not exist. With a server, where nodes share the folder of files, that one may be
    /// there, without files.
    pub(super) fn claim(data: &DataDir, server: Option<&DatabaseUrl>) -> Result<Self> {
        let database = server.map(|url| Location::Server(url.clone()).to_string());
        let shares_files = database.is_some();
        let directory = data.path().to_owned();
        let is_new = !directory.exists();
        let had_locks = LOCKS.iter().any(|lock| directory.join(lock).exists());
        let had_files = data.blobs().exists();
        require_empty(&directory, shares_files)?;
        data.create()?;
        let claim = claim(data.path(), "spindle admin import")?;
        let staging = Self {
            folder: data.importing(),
            directory,
            is_new,
            had_locks,
            database,
            had_files,
            is_settled: false,
            _claim: claim,
        };
        // The directory is claimed now; a file may have appeared before.
        require_empty(&staging.directory, shares_files)?;
        staging.remove_remains()?;
        create_directories(&staging.folder)?;
        if let Some(database) = &staging.database {
            write_private(&staging.path(NOTE), database)?;
        }
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

    /// The folder into which files go.
    pub(super) fn files(&self) -> Result<PathBuf> {
        match self.database {
            Some(_) => Ok(self.directory.join(FILES)),
            None => self.folder(FILES),
        }
    }

    /// Keeps the files, which are in their place; the database on the server is complete.
    pub(super) fn keep_files(mut self) -> Result<()> {
        self.is_settled = true;
        remove(&self.folder)?;
        sync_directory(&self.directory)
    }

    /// Leaves everything as a kill would: the next start of a server or import finds out whether the files are still needed.
    pub(super) fn leave(&mut self) {
        self.is_settled = true;
    }

    /// Puts files and database where a server looks for them.
    pub(super) fn settle(mut self, data: &DataDir) -> Result<()> {
        fs::rename(self.path(FILES), data.blobs()).context("putting the files in their place")?;
        sync_directory(&self.directory)?;
        fs::rename(self.path("spindle.db"), data.database())
            .context("putting the database in its place")?;
        self.is_settled = true;
        fs::remove_dir_all(&self.folder)
            .context("removing what the import does not need any more")?;
        sync_directory(&self.directory)
    }

    /// Removes the files of an import into the same database that was killed.
    fn remove_remains(&self) -> Result<()> {
        if !self.folder.exists() {
            return Ok(());
        }
        let files = self.directory.join(FILES);
        if let Some(other) = noted(&self.folder)?
            && self.database.as_ref() != Some(&other)
        {
            bail!(
                "an import into {other} was interrupted here, and its organization may be there: run it again, or start a \
                 server on it, or remove {} and the files in {}",
                self.folder.display(),
                files.display()
            );
        }
        if self.database.is_some() && self.had_files {
            for entry in entries(&files)? {
                remove(&files.join(entry))?;
            }
        } else {
            remove(&files)?;
        }
        remove(&self.folder)
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

/// Lets a server begin on a database, unless an import into it was interrupted. If that was after the organization was complete
/// on its server, what the import has left is removed.
///
/// # Errors
/// [`DataDirError::UnfinishedImport`]; or the database cannot be read.
pub fn require_ended(data: &DataDir, database: &Location) -> Result<()> {
    let (folder, Location::Server(url)) = (data.importing(), database) else {
        return Ok(data.require_no_unfinished_import()?);
    };
    if !folder.exists() {
        return Ok(());
    }
    let is_own = noted(&folder)?.is_some_and(|name| name == database.to_string());
    if !is_own || !transfer::has_organization(url)? {
        return Err(DataDirError::UnfinishedImport(data.path().to_owned()).into());
    }
    remove(&folder)
}

/// The database on a server into which the import in this folder goes.
fn noted(folder: &Path) -> Result<Option<String>> {
    let note = folder.join(NOTE);
    match fs::read_to_string(&note) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some).with_context(|| note.display().to_string()),
    }
}

fn remove(folder: &Path) -> Result<()> {
    let removed = match folder.is_file() {
        true => fs::remove_file(folder),
        false => fs::remove_dir_all(folder),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| folder.display().to_string())
        }
        _ => Ok(()),
    }
}

/// Names of what is in a folder; empty when there is no such folder.
fn entries(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.with_context(|| folder.display().to_string())?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

fn require_empty(directory: &Path, shares_files: bool) -> Result<()> {
    let names = entries(directory)?;
    // Files that had just been renamed when an import was killed.
    let is_remains = names.iter().any(|name| name == FOLDER);
    let may_have_files = is_remains || (shares_files && has_no_file(&directory.join(FILES))?);
    let is_harmless =
        |name: &String| HARMLESS.contains(&name.as_str()) || (may_have_files && name == FILES);
    if names.iter().all(is_harmless) {
        return Ok(());
    }
    let files = match shares_files {
        true => ", with a folder blobs that has no files",
        false => "",
    };
    bail!(
        "{} is not empty: an archive is imported into a data directory of its own{files}",
        directory.display()
    )
}

/// Returns true if no file is stored. Empty folders do not count, because a first start creates them.
fn has_no_file(files: &Path) -> Result<bool> {
    for name in entries(files)? {
        let path = files.join(name);
        if !path.is_dir() || !entries(&path)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
