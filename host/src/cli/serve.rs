//! Flags of `spindle serve`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::{logging, run_until_stopped};
use crate::serve::{self, InitialOrganization};
use spindle_config::Options;

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Configuration file; without it, spindle.toml in the data directory, if there is one.
    #[arg(long, value_name = "FILE", env = "SPINDLE_CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// For tests of the server itself: a unix socket through which its clock is moved.
    #[arg(long, value_name = "SOCKET", hide = true)]
    test_clock: Option<PathBuf>,
    #[command(flatten)]
    initial: InitialOrganization,
}

impl Serve {
    pub(super) fn run(self) -> Result<ExitCode> {
        let config = spindle_config::load(self.options, self.config.as_deref())?;
        logging::start(&config.log_level, config.log_format, config.access_log)?;
        run_until_stopped(serve::run(config, self.initial, self.test_clock))
    }
}
