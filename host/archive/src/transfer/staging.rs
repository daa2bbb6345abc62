//! The folder in which a database file is built, and its final rename.
//!
//! The folder is next to the final file, on the same disk. A move that ends early leaves it, and the next one resumes
//! there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::NAME;
use spindle_config::claim::{Claim, claim};
use spindle_config::data_dir::{DataDir, create_private_folder};
use spindle_config::durable::{create_directories, make_private_and_sync, sync_directory};

/// A claimed directory.
#[derive(Debug)]
pub(super) struct Staging {
    /// Where the file will be.
    target: PathBuf,
    folder: PathBuf,
    file: PathBuf,
    _claim: Claim,
}

/// Refuses a path at which something is.
pub(super) fn require_free(target: &Path) -> Result<()> {
    if target.exists() {
        bail!(
            "{} exists already, and nothing is moved over it: name another path, or move this one away first, with the \
             -wal and -shm beside it",
            target.display()
        );
    }
    Ok(())
}

impl Staging {
    /// Claims the directory of a file that is not there yet.
    pub(super) fn claim(target: &Path) -> Result<Self> {
        let data = DataDir::beside(target);
        create_private_folder(data.path())?;
        let claim = claim(data.path(), NAME)?;
        require_free(target)?;
        data.require_no_unfinished_import()?;
        let folder = data.moving();
        create_directories(&folder)?;
        let file = folder.join(target.file_name().unwrap_or_default());
        Ok(Self {
            target: target.to_owned(),
            folder,
            file,
            _claim: claim,
        })
    }

    /// The file that is built.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Puts the file, which is complete and closed, into its place.
    pub(super) fn settle(self) -> Result<()> {
        make_private_and_sync(&self.file)?;
        fs::rename(&self.file, &self.target).with_context(|| self.target.display().to_string())?;
        fs::remove_dir_all(&self.folder)
            .with_context(|| format!("removing {}", self.folder.display()))?;
        sync_directory(self.folder.parent().unwrap_or(&self.folder))
    }
}
