//! Flags of `spindle events`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

/// The event-queue service on its own.
#[derive(Debug, Args)]
pub(super) struct Events {
    /// Database file that Spin uses; created and migrated when needed.
    #[arg(long, value_name = "FILE")]
    database: PathBuf,
    /// Address that the components call.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:3002")]
    listen: SocketAddr,
}

impl Events {
    pub(super) fn run(self) -> Result<ExitCode> {
        Ok(ExitCode::SUCCESS)
    }
}
