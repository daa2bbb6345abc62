//! `spindle admin demo`: fills a new organization with people, channels and messages.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::super::output::Output;
use super::super::target::TargetServer;
use crate::admin::Session;
use spindle_blobs::BlobStore;
use spindle_config::BaseUrl;
use spindle_config::data_dir::DataDir;

#[derive(Debug, Args)]
pub(in crate::cli) struct Demo {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Address under which clients reach the server [default: the configured one, else the one that
    /// the server was started with].
    #[arg(long, value_name = "URL")]
    site: Option<BaseUrl>,
}

impl Demo {
    pub(super) fn run(self) -> Result<ExitCode> {
        self.target.require_file()?;
        let database = self.target.existing_database()?;
        let site = match &self.site {
            Some(site) => site.0.clone(),
            None => self.target.address()?,
        };
        let folder = DataDir::beside(&database).blobs();
        let blobs = BlobStore::of_blocking(&self.target.bucket()?, &folder)?;
        let demo = Session::open(&database)?.fill_with_demo(&blobs, &site)?;
        self.output.print(&json!(demo), || {
            format!(
                "created {} accounts, {} channels and {} messages\n\
                 sign in as one of the people with: spindle admin user sign-in-link --email {}",
                demo.accounts,
                demo.channels,
                demo.messages,
                demo.people.first().map_or("", String::as_str)
            )
        });
        Ok(ExitCode::SUCCESS)
    }
}
