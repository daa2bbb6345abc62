//! `spindle admin copy-files`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use super::super::output::Output;
use super::super::target::TargetServer;
use spindle_blobs::{BlobStore, Copied, Folder, copy_all};
use spindle_config::BucketOptions;
use spindle_config::data_dir::DataDir;
use spindle_system::progress::Progress;

#[derive(Debug, Args)]
pub(in crate::cli) struct CopyFiles {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
}

impl CopyFiles {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Some(data) = self.target.data_dir()? else {
            bail!("beside Spin, the bucket is named by variables; give --data-dir");
        };
        let bucket = self.target.bucket()?;
        let Some(url) = bucket.blobs.clone() else {
            bail!("no bucket is configured (blobs)");
        };
        let copied = copy(&data, &bucket)?;
        let (files, bytes, known) = (copied.files, copied.bytes, copied.known);
        let value = json!({"files": files, "bytes": bytes, "known": known});
        self.output.print(&value, || {
            format!("copied {files} files ({bytes} bytes) to {url}; {known} were there already")
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// Copies the files of a data directory into a bucket.
pub(super) fn copy(data: &DataDir, bucket: &BucketOptions) -> Result<Copied> {
    let folder = Folder::to_read(&data.blobs());
    let store = BlobStore::of_blocking(bucket, &data.blobs())?;
    copy_all(&folder, &store, &Progress::on_stderr())
}
