//! The flags that all commands about installed apps share, and the commands without further ones.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use spindle_actions::apps::{AppChange, AppObject};
use spindle_blobs::BlobStore;
use spindle_config::data_dir::DataDir;

use super::shown;
use crate::admin::{Apps, Session};
use crate::cli::admin::on_files;
use crate::cli::output::Output;
use crate::cli::target::TargetServer;

#[derive(Debug, Args)]
pub(in crate::cli) struct Common {
    #[command(flatten)]
    target: TargetServer,
    #[command(flatten)]
    pub(super) output: Output,
    /// Address of the owner or administrator who acts, and to whom a new app belongs [default: the first owner].
    #[arg(long = "as", value_name = "EMAIL")]
    acting: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Named {
    #[command(flatten)]
    pub(super) common: Common,
    /// Name of the app.
    #[arg(value_name = "NAME")]
    pub(super) name: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    common: Common,
}

impl Common {
    pub(super) fn run(&self, work: impl FnOnce(&Apps<'_>) -> Result<()>) -> Result<ExitCode> {
        self.run_as("app", work)
    }

    /// As [`Self::run`], for a command that stores the file of an app.
    pub(super) fn run_with_files(
        &self,
        work: impl FnOnce(&Apps<'_>, &BlobStore) -> Result<()>,
    ) -> Result<ExitCode> {
        self.run_as("app-file", |apps| {
            let folder = DataDir::beside(&self.target.database()?).blobs();
            let blobs = BlobStore::of_blocking(&self.target.bucket()?, &folder)?;
            work(apps, &blobs)
        })
    }

    fn run_as(
        &self,
        command: &str,
        work: impl FnOnce(&Apps<'_>) -> Result<()>,
    ) -> Result<ExitCode> {
        on_files(command, &self.target.database()?, None, || {
            let session = Session::open_to_administer(self.target.location()?)?;
            let site = self.target.address()?;
            let keys = self.target.app_keys()?;
            work(&session.apps(self.acting.as_deref(), &site, keys)?)?;
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Prints an app after a change.
    pub(super) fn print(&self, app: &AppObject) -> Result<()> {
        self.output
            .print(&serde_json::to_value(app)?, || shown::app(app));
        Ok(())
    }
}

impl List {
    pub(super) fn run(self) -> Result<ExitCode> {
        self.common.run(|apps| {
            let apps = apps.list()?;
            let value = serde_json::to_value(&apps)?;
            self.common.output.print(&value, || shown::table(&apps));
            Ok(())
        })
    }
}

impl Named {
    pub(super) fn show(self) -> Result<ExitCode> {
        let common = &self.common;
        common.run(|apps| common.print(&apps.find(&self.name)?))
    }

    pub(super) fn set_paused(self, is_paused: bool) -> Result<ExitCode> {
        let common = &self.common;
        let change = AppChange {
            is_paused: Some(is_paused),
            ..AppChange::default()
        };
        common.run(|apps| common.print(&apps.change(&self.name, &change)?))
    }

    pub(super) fn logs(self) -> Result<ExitCode> {
        self.common.run(|apps| {
            let lines = apps.log(&self.name)?;
            self.common.output.print(&lines, || shown::log(&lines));
            Ok(())
        })
    }

    pub(super) fn remove(self) -> Result<ExitCode> {
        self.common.run(|apps| {
            let removed = apps.remove(&self.name)?;
            self.common.output.print(&json!({"deleted": removed}), || {
                format!(
                    "removed {}: {} values, {} waiting events and {} ticks were deleted",
                    self.name, removed.values, removed.events, removed.schedules
                )
            });
            Ok(())
        })
    }
}
