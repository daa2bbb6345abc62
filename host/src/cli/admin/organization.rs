//! `spindle admin organization`: showing, deactivating and reactivating the organization.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

use super::super::output::Output;
use super::super::target::TargetServer;
use crate::admin::Session;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Organization {
    /// Show its name and whether it is deactivated.
    Show(Common),
    /// Refuse all access; nothing is deleted.
    Deactivate(Common),
    /// Allow access again, with the existing keys and passwords.
    Reactivate(Common),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Common {
    #[command(flatten)]
    target: TargetServer,
    #[command(flatten)]
    output: Output,
}

impl Organization {
    pub(super) fn target(&self) -> &TargetServer {
        match self {
            Self::Show(common) | Self::Deactivate(common) | Self::Reactivate(common) => {
                &common.target
            }
        }
    }

    pub(super) fn run(self) -> Result<ExitCode> {
        let (common, active) = match self {
            Self::Show(common) => (common, None),
            Self::Deactivate(common) => (common, Some(false)),
            Self::Reactivate(common) => (common, Some(true)),
        };
        let session = Session::open_to_administer(common.target.location()?)?;
        if let Some(active) = active {
            session.set_organization_active(active)?;
        }
        let (name, deactivated) = session.organization()?;
        let value = json!({"name": name, "deactivated": deactivated});
        common.output.print(&value, || {
            let state = if deactivated { "deactivated" } else { "active" };
            format!("{name}: {state}")
        });
        Ok(ExitCode::SUCCESS)
    }
}
