//! `spindle admin quota`: how much room uploaded files may take.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::super::output::Output;
use super::super::target::Target;
use crate::admin::Session;

#[derive(Debug, Args)]
pub(in crate::cli) struct Quota {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    output: Output,
    /// Most MiB of all uploaded files together.
    #[arg(long, value_name = "MIB", conflicts_with = "unlimited")]
    mib: Option<u32>,
    /// Take the limit away.
    #[arg(long)]
    unlimited: bool,
}

impl Quota {
    /// Without a flag only tells how things are.
    pub(super) fn run(self) -> Result<ExitCode> {
        let session = Session::open(&self.target.existing_database()?)?;
        if self.mib.is_some() || self.unlimited {
            session.set_upload_quota(self.mib.map(i64::from))?;
        }
        let (used, quota) = session.upload_space()?;
        let value = json!({"used_bytes": used, "quota_mib": quota});
        self.output.print(&value, || match quota {
            Some(mib) => format!("{used} bytes of {mib} MiB are used"),
            None => format!("{used} bytes are used; there is no limit"),
        });
        Ok(ExitCode::SUCCESS)
    }
}
