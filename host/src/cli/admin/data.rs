//! `spindle admin backup`, `restore` and `check`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};

use super::super::output::Output;
use super::super::target::TargetServer;
use crate::backup::{self, Manifest, Rotated};
use spindle_config::data_dir::DataDir;
use spindle_system::ownership::Account;

#[derive(Debug, Args)]
pub(in crate::cli) struct Backup {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Write the backup into a new directory below DIRECTORY, named by the time, and remove all but the
    /// newest N of those when it is complete.
    #[arg(long, value_name = "N")]
    keep: Option<NonZeroUsize>,
    /// Directory for the backup; it must be empty or not exist, unless --keep is given.
    #[arg(value_name = "DIRECTORY")]
    destination: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Restore {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Directory that `spindle admin backup` has written.
    #[arg(value_name = "BACKUP")]
    source: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
}

impl Backup {
    pub(super) fn run(self) -> Result<ExitCode> {
        self.target.require_file()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let source = self.target.source()?;
        let data = DataDir::beside(&self.target.database()?);
        let account = Account::served_by_root(data.path());
        let had_folder = self.destination.exists();
        let made = match self.keep {
            Some(keep) => {
                let made = backup::create_and_keep(&source, &self.destination, keep.get(), now);
                if let Some(account) = account.filter(|_| !had_folder) {
                    account.take_over_files(&self.destination)?;
                }
                made?
            }
            None => Rotated {
                manifest: backup::create(&source, &self.destination, now)?,
                path: self.destination,
                removed: Vec::new(),
            },
        };
        if let Some(account) = account {
            let handed_over = account.take_over(&made.path);
            handed_over.with_context(|| made.path.display().to_string())?;
        }
        if let Err(error) = backup::note(&data, &made.manifest, &made.path) {
            eprintln!("spindle: metrics will not show this backup: {error}");
        }
        let bucket = self.target.bucket()?.blobs.map(|bucket| bucket.to_string());
        let mut sentence = format!("backup written to {}", made.path.display());
        if !made.removed.is_empty() {
            let _ = write!(sentence, "; {} older removed", made.removed.len());
        }
        if let Some(bucket) = &bucket {
            let _ = write!(
                sentence,
                "; the files in {bucket} are not in it: copy the bucket now, or keep the versions of its objects"
            );
        }
        let mut value = described(&made.manifest);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("path".to_owned(), json!(made.path));
            fields.insert("removed".to_owned(), json!(made.removed));
            fields.insert("bucket".to_owned(), json!(bucket));
        }
        print(self.output, &made.manifest, &value, &sentence);
        Ok(ExitCode::SUCCESS)
    }
}

impl Restore {
    pub(super) fn run(self) -> Result<ExitCode> {
        self.target.require_file()?;
        let (manifest, place) = match self.target.data_dir()? {
            Some(data) => (
                backup::restore_data_dir(&self.source, &data)?,
                data.path().to_owned(),
            ),
            None => {
                let database = self.target.database()?;
                (backup::restore_database(&self.source, &database)?, database)
            }
        };
        let sentence = format!(
            "restored to {}; clients will register their event queues anew",
            place.display()
        );
        print(self.output, &manifest, &described(&manifest), &sentence);
        Ok(ExitCode::SUCCESS)
    }
}

impl Check {
    /// Returns failure unless everything is sound.
    pub(super) fn run(self) -> Result<ExitCode> {
        let report = if self.target.is_remote()? {
            backup::check_server(&self.target.location()?)?
        } else {
            backup::check(&self.target.source()?)?
        };
        let bucket = self.target.bucket()?.blobs;
        for warning in &report.warnings {
            eprintln!("warning: {warning}");
        }
        self.output.print(&serde_json::to_value(&report)?, || {
            if report.sound {
                let schema = report.schema;
                return match &bucket {
                    None => format!("sound (schema {schema})"),
                    Some(bucket) => format!(
                        "sound (schema {schema}); the files in {bucket} were not looked at: spindle doctor tries it"
                    ),
                };
            }
            let lines = report
                .findings
                .iter()
                .map(|found| format!("{}: {}", found.check, found.detail));
            lines.collect::<Vec<_>>().join("\n")
        });
        Ok(if report.sound {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn bytes(manifest: &Manifest) -> u64 {
    manifest.files.iter().map(|file| file.bytes).sum()
}

/// The description of a backup for scripts.
fn described(manifest: &Manifest) -> Value {
    json!({
        "version": manifest.version,
        "schema": manifest.schema,
        "created": manifest.created,
        "files": manifest.files.len(),
        "bytes": bytes(manifest),
    })
}

fn print(output: Output, manifest: &Manifest, value: &Value, sentence: &str) {
    output.print(value, || {
        let (files, bytes) = (manifest.files.len(), bytes(manifest));
        format!("{sentence} ({files} files, {bytes} bytes)")
    });
}
