//! `spindle admin backup`, `restore` and `check`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::super::output::Output;
use super::super::target::Target;
use crate::backup::{self, Manifest};
use crate::data_dir::DataDir;

#[derive(Debug, Args)]
pub(in crate::cli) struct Backup {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    output: Output,
    /// Directory for the backup; it must be empty or not exist.
    #[arg(value_name = "BACKUP")]
    destination: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Restore {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    output: Output,
    /// Directory that `spindle admin backup` has written.
    #[arg(value_name = "BACKUP")]
    source: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    output: Output,
}

impl Backup {
    pub(super) fn run(self) -> Result<ExitCode> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let manifest = backup::create(&self.target.source()?, &self.destination, now)?;
        let data = DataDir::beside(&self.target.database()?);
        if let Err(error) = backup::note(&data, &manifest, &self.destination) {
            eprintln!("spindle: metrics will not know of this backup: {error}");
        }
        print(
            self.output,
            &manifest,
            &format!("backup written to {}", self.destination.display()),
        );
        Ok(ExitCode::SUCCESS)
    }
}

impl Restore {
    pub(super) fn run(self) -> Result<ExitCode> {
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
        print(self.output, &manifest, &sentence);
        Ok(ExitCode::SUCCESS)
    }
}

impl Check {
    /// The exit code says whether everything is sound.
    pub(super) fn run(self) -> Result<ExitCode> {
        let report = backup::check(&self.target.source()?)?;
        self.output.print(&serde_json::to_value(&report)?, || {
            if report.sound {
                return format!("sound (schema {})", report.schema);
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

fn print(output: Output, manifest: &Manifest, sentence: &str) {
    let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
    let value = json!({
        "version": manifest.version,
        "schema": manifest.schema,
        "created": manifest.created,
        "files": manifest.files.len(),
        "bytes": bytes,
    });
    output.print(&value, || {
        format!("{sentence} ({} files, {bytes} bytes)", manifest.files.len())
    });
}
