//! Files and directories that are private to their owner, and on the disk when a function returns.

use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, Result};

/// Removes the permissions of other users from a file that a library has written, and syncs it.
pub fn make_private_and_sync(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|file| {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
            file.sync_all()
        })
        .with_context(|| path.display().to_string())
}

/// Creates the directory `path` and its parents; new directories are private to their owner.
pub fn create_directories(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| path.display().to_string())
}

/// Syncs a directory, which makes the names in it durable.
pub fn sync_directory(path: &Path) -> Result<()> {
    File::open(path)
        .and_then(|directory| directory.sync_all())
        .with_context(|| path.display().to_string())
}
