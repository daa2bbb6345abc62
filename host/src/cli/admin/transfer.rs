//! `spindle admin move`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};
use spindle_domain::numbers::grouped;
use spindle_store::transfer::{Begun, NOT_COPIED};

use super::super::output::Output;
use super::super::target::TargetServer;
use spindle_archive::transfer::{self, Files, Outcome};
use spindle_config::DatabaseUrl;
use spindle_config::claim::folder_of;
use spindle_config::data_dir::DataDir;
use spindle_database::Location;
use spindle_system::progress::Progress;

#[derive(Debug, Args)]
pub(in crate::cli) struct Move {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// The URL of an empty database of PostgreSQL (postgres://USER:PASSWORD@HOST/DATABASE); or, from there, a data
    /// directory without a database, or the path of a new database file (.db). No server may run on either
    /// side. Killed, the same command goes on. Files that users have uploaded stay where they are.
    #[arg(
        long,
        value_name = "URL|PATH",
        env = "SPINDLE_MOVE_TO",
        hide_env_values = true
    )]
    to: String,
}

impl Move {
    /// The folder of the database file that it makes.
    pub(super) fn destination_folder(&self) -> Option<PathBuf> {
        let to = destination(&self.to).ok()?;
        to.file().map(|file| folder_of(file).to_owned())
    }

    pub(super) fn run(self) -> Result<ExitCode> {
        let (from, to) = (self.target.location()?, destination(&self.to)?);
        let bucket = self.target.bucket()?.blobs;
        let mut outcome = transfer::run(&from, &to, &Progress::on_stderr())?;
        if let Some(bucket) = &bucket {
            outcome.files = Files::in_bucket(bucket);
        }
        let value = described(&outcome, &from, &to);
        self.output.print(&value, || text(&outcome, &from, &to));
        Ok(ExitCode::SUCCESS)
    }
}

/// What `--to` names. An error does not repeat a URL, which may hold a password.
fn destination(to: &str) -> Result<Location> {
    if to.contains("://") {
        let url = to.parse::<DatabaseUrl>();
        let url = url.map_err(|error| anyhow!("--to: {error}"))?;
        return Ok(Location::Server(url));
    }
    let path = Path::new(to);
    Ok(match path.extension().is_some_and(|end| end == "db") {
        true => Location::from(path),
        false => Location::File(DataDir::new(path).database()),
    })
}

fn described(outcome: &Outcome, from: &Location, to: &Location) -> Value {
    let tables = outcome.tables.iter();
    let tables: Vec<Value> = tables
        .map(|one| json!({"name": one.table, "rows": one.rows, "digest": one.digest}))
        .collect();
    json!({
        "from": from.to_string(),
        "to": to.to_string(),
        "begun": match outcome.begun {
            Begun::New => "new",
            Begun::GoesOn => "goes on",
            Begun::Again => "again",
        },
        "tables": tables,
        "not_copied": NOT_COPIED.map(|(table, why)| json!({"name": table, "why": why})),
        "files": {"copied": false, "folder": outcome.files.folder, "note": outcome.files.note},
    })
}

fn text(outcome: &Outcome, from: &Location, to: &Location) -> String {
    let mut text = match outcome.begun {
        Begun::New => String::new(),
        Begun::GoesOn => "an interrupted move went on\n".to_owned(),
        Begun::Again => "an interrupted move began again from the start\n".to_owned(),
    };
    let _ = writeln!(
        text,
        "moved from {from} to {to}; rows and digests are equal on both sides:"
    );
    for one in &outcome.tables {
        let digest = transfer::shown(&one.digest);
        let _ = writeln!(text, "{:>12}  {digest}  {}", grouped(one.rows), one.table);
    }
    for (table, why) in NOT_COPIED {
        let _ = writeln!(text, "{:>12}  {table}: {why}", "not copied");
    }
    let _ = write!(text, "{}", outcome.files.note);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_a_server_a_file_or_a_directory() {
        let named = |to| destination(to).unwrap().to_string();
        assert_eq!(named("postgres://u:secret@h/x"), "postgres://u@h/x");
        assert_eq!(named("a/new.db"), "a/new.db");
        assert_eq!(named("a/data"), "a/data/spindle.db");
        for wrong in ["mysql://u:secret@h/x", "postgres://u:secret@h:port/x"] {
            let refused = destination(wrong).unwrap_err().to_string();
            assert!(
                refused.starts_with("--to: ") && !refused.contains("secret"),
                "{refused}"
            );
        }
    }
}
