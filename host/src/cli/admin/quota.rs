//! `spindle admin quota`: the space that uploaded files may use.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::super::output::Output;
use super::super::target::TargetServer;
use crate::admin::Session;
use spindle_config::Readable as _;

#[derive(Debug, Args)]
pub(in crate::cli) struct Quota {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Most MiB of all uploaded files together.
    #[arg(long, value_name = "MIB", conflicts_with = "unlimited", value_parser = u32::parser())]
    mib: Option<u32>,
    /// Remove the limit.
    #[arg(long)]
    unlimited: bool,
    /// Most MiB of one file; one of more than 25 has to come in parts.
    #[arg(long, value_name = "MIB", value_parser = u32::parser())]
    file_mib: Option<u32>,
}

impl Quota {
    /// Without a flag, only prints the current values.
    pub(super) fn run(self) -> Result<ExitCode> {
        let session = Session::open_to_administer(self.target.location()?)?;
        if self.mib.is_some() || self.unlimited {
            session.set_upload_quota(self.mib.map(i64::from))?;
        }
        if let Some(mib) = self.file_mib {
            session.set_largest_file(mib.into())?;
        }
        let space = session.upload_space()?;
        let (used, file_mib) = (space.used, space.largest_mib);
        let value = json!({"used_bytes": used, "quota_mib": space.quota_mib, "file_mib": file_mib});
        self.output.print(&value, || {
            let all = match space.quota_mib {
                Some(mib) => format!("{used} bytes of {mib} MiB are used"),
                None => format!("{used} bytes are used; there is no limit"),
            };
            format!("{all}; one file can have {file_mib} MiB")
        });
        Ok(ExitCode::SUCCESS)
    }
}
