//! `spindle app install` and `spindle app update`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use spindle_domain::apps::limits;

use super::manage::{Common, Named};
use super::shipped;
use crate::admin::Granting;

#[derive(Debug, Args)]
pub(in crate::cli) struct Install {
    #[command(flatten)]
    common: Common,
    /// The component of the app, or the name of an app that comes with this program, such as poll.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Grant all rights that the app asks for, but for channels that are to be chosen.
    #[arg(long)]
    grant_all: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Update {
    #[command(flatten)]
    named: Named,
    /// The component of the new version, or the name of an app that comes with this program.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Install {
    pub(super) fn run(self) -> Result<ExitCode> {
        let component = read(&self.file)?;
        self.common.run_with_files(|apps, blobs| {
            let mut app = apps.install(&component, blobs)?;
            if self.grant_all {
                let granting = Granting {
                    everything: true,
                    ..Granting::default()
                };
                app = apps.grant(&app.name, &granting)?;
            }
            self.common.print(&app)
        })
    }
}

impl Update {
    pub(super) fn run(self) -> Result<ExitCode> {
        let component = read(&self.file)?;
        let Named { common, name } = &self.named;
        common.run_with_files(|apps, blobs| common.print(&apps.replace(name, &component, blobs)?))
    }
}

fn read(given: &Path) -> Result<Vec<u8>> {
    read_file(&shipped::file(given)?)
}

/// Reads a component; of a file that is too large, enough to be refused.
pub(super) fn read_file(file: &Path) -> Result<Vec<u8>> {
    let shown = || format!("cannot read {}", file.display());
    let most = limits::COMPONENT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let opened = File::open(file).with_context(shown)?;
    opened
        .take(most)
        .read_to_end(&mut bytes)
        .with_context(shown)?;
    Ok(bytes)
}
