//! Opening the blobs of a server: which place the options name.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::bucket::Bucket;
use super::folder::Folder;
use super::store::{BlobError, BlobStore, wait};
use spindle_config::BucketOptions;

impl BlobStore {
    /// Blobs in a folder, which is created when missing.
    pub fn open(root: &Path) -> Result<Self, BlobError> {
        Ok(Self(Arc::new(Folder::open(root)?)))
    }

    /// Blobs in the bucket of these options, when they name one, which is checked; else in a folder. With a
    /// bucket, the folder has temporary files only.
    ///
    /// # Errors
    /// The folder or the bucket cannot be used; the text says why.
    pub async fn of(options: &BucketOptions, folder: &Path) -> Result<Self> {
        if options.blobs.is_none() {
            return Self::open(folder).context("cannot open the blobs");
        }
        let bucket = Bucket::new(options, folder)?;
        bucket.prove().await?;
        bucket.begin_use();
        Ok(Self(Arc::new(bucket)))
    }

    /// As [`Self::of`], for a thread that may block.
    pub fn of_blocking(options: &BucketOptions, folder: &Path) -> Result<Self> {
        wait(Self::of(options, folder))?
    }

    /// Whether the bucket of these options, when they name one, can be written, read, listed and deleted in. For a
    /// thread that may block.
    ///
    /// # Errors
    /// It cannot; the text says why.
    pub fn prove(options: &BucketOptions) -> Result<()> {
        if options.blobs.is_some() {
            // Temporary files are not tried.
            let bucket = Bucket::new(options, Path::new(""))?;
            wait(bucket.prove())??;
        }
        Ok(())
    }
}
