//! `spindle doctor`: selects the server and prints the findings.
//!
//! Owns the flags; `crate::doctor` does the work.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;

use super::output::show;
use super::target::configuration_file;
use crate::admin::enter;
use crate::doctor::{Finding, Subject, examine};
use spindle_config::data_dir::DataDir;
use spindle_config::{Config, FILE_NAME, Options};

const CONFIGURATION: &str = "configuration";

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Configuration file of `spindle serve`; without it, spindle.toml in the data directory, or that
    /// of an installed package.
    #[arg(long, value_name = "FILE", env = "SPINDLE_CONFIG")]
    config: Option<PathBuf>,
    /// Database file of a server that Spin runs.
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print one JSON value instead of text.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: Options,
}

impl Doctor {
    /// Returns failure if there are errors.
    pub(super) fn run(self) -> Result<ExitCode> {
        let mut given = self.options;
        if let Some(database) = &self.database {
            given.data_dir = Some(DataDir::beside(database).path().to_owned());
        }
        let file = configuration_file(self.config, &given);
        let (config, finding) = configuration(given, file.as_deref())?;
        let data = DataDir::new(&config.data_dir);
        let database = self.database.unwrap_or_else(|| data.database());
        let _claim = enter("doctor", &database)?;
        let subject = Subject {
            config,
            data,
            database,
        };
        let report = examine(&subject, vec![finding])?;
        if self.json {
            show(&serde_json::to_string(&report)?);
        } else {
            show(&report.text());
        }
        Ok(if report.errors == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// The server's configuration; flags and defaults where it cannot be used.
fn configuration(given: Options, file: Option<&Path>) -> Result<(Config, Finding)> {
    match spindle_config::load(given.clone(), file) {
        Ok(config) => {
            let in_directory = config.data_dir.join(FILE_NAME);
            let found = match file {
                Some(file) => file.display().to_string(),
                None if in_directory.is_file() => in_directory.display().to_string(),
                None => "no file; flags, environment and defaults".to_owned(),
            };
            Ok((config, Finding::ok(CONFIGURATION, found)))
        }
        Err(error) => {
            let config = given.or(spindle_config::defaults()?).resolve();
            let config = config.map_err(|problem| anyhow!(problem))?;
            let advice = "correct it: spindle config example explains every option. \
                 What follows is judged by flags and defaults";
            Ok((
                config,
                Finding::error(CONFIGURATION, error.to_string(), advice),
            ))
        }
    }
}
