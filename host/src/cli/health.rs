//! `spindle health`: selects the server and translates its answer into an exit code.
//!
//! Owns the flags; `crate::doctor` sends the request.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::target::configuration_file;
use crate::doctor::ready;
use spindle_config::Options;

#[derive(Debug, Args)]
pub(super) struct HealthCheck {
    /// Configuration file of `spindle serve`; without it, spindle.toml in the data directory, or that
    /// of an installed package.
    #[arg(long, value_name = "FILE", env = "SPINDLE_CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl HealthCheck {
    /// Fails unless the server reports that it is ready.
    pub(super) fn run(self) -> Result<ExitCode> {
        let file = configuration_file(self.config, &self.options);
        let config = spindle_config::load(self.options, file.as_deref())?;
        println!("{}", ready(&config)?);
        Ok(ExitCode::SUCCESS)
    }
}
