//! Copying the blobs of a folder into a bucket, when an organization begins to use one.
//!
//! Can be repeated: existing files are skipped. Incomplete uploads in parts are left behind; their clients start over.
//! Everything here blocks.

use std::io;

use anyhow::{Context as _, Result};

use super::folder::Folder;
use super::store::BlobStore;
use spindle_system::progress::{Progress, Unit};

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copied {
    /// Files that were copied.
    pub files: u64,
    /// Bytes of those files.
    pub bytes: u64,
    /// Files that were there already.
    pub known: u64,
}

/// Copies every complete blob of `folder` to `store`, and reads back its length.
///
/// # Errors
/// A file is damaged, or one of the two cannot be used; a repetition continues.
pub fn copy_all(folder: &Folder, store: &BlobStore, progress: &Progress) -> Result<Copied> {
    let keys = folder.keys()?;
    progress.step("copying files", Unit::Pieces, keys.len() as u64);
    let mut copied = Copied::default();
    for key in &keys {
        progress.add(1);
        // Deleted in between.
        let Some(file) = folder.get(key)? else {
            continue;
        };
        let known = store.find_blocking(key)?;
        if known.is_some_and(|blob| blob.length == file.length) {
            copied.known += 1;
            continue;
        }
        let length = file.length;
        let mut blob = store.begin(key, &file.content_type)?;
        io::copy(&mut file.into_reader(), &mut blob)
            .and_then(|_| blob.finish().map_err(io::Error::other))
            .with_context(|| format!("copying {}", key.as_str()))?;
        copied.files += 1;
        copied.bytes += length;
    }
    Ok(copied)
}
