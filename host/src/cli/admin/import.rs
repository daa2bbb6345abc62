//! `spindle admin import`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::super::output::Output;
use super::super::target::TargetServer;
use super::files;
use spindle_archive::import::{self, Options, Origin, Outcome};
use spindle_database::Location;
use spindle_system::progress::Progress;

#[derive(Debug, Args)]
pub(in crate::cli) struct Import {
    #[command(flatten)]
    pub(super) target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Email of an owner: the account with it in the archive, else a new account. Required when no
    /// owner's account was exported completely.
    #[arg(long, value_name = "EMAIL")]
    owner: Option<String>,
    /// Refuse an archive that unpacks to more than this.
    #[arg(long, value_name = "GIB", default_value_t = 64)]
    max_gib: u32,
    /// Domain of the addresses that people get who have none in an archive of Slack or Mattermost
    /// [default: slack.invalid, mattermost.invalid].
    #[arg(long, value_name = "DOMAIN")]
    email_domain: Option<String>,
    /// Name of the organization, where the archive is one of Slack or Mattermost [default: that of the
    /// workspace in the name of the file; that of the first team].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A data export (`.tar.gz` in Zulip's layout), a workspace export of Slack (`.zip`) or a bulk export
    /// of Mattermost (`.zip`).
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
}

impl Import {
    pub(super) fn run(self) -> Result<ExitCode> {
        let server = self.target.server()?;
        let Some(data) = self.target.data_dir()? else {
            bail!("an archive is imported into a data directory, where its files have a place");
        };
        let bucket = self.target.bucket()?;
        let app_keys = self.target.app_keys()?;
        let options = Options {
            archive: self.archive,
            owner: self.owner,
            most: u64::from(self.max_gib) << 30,
            email_domain: self.email_domain,
            name: self.name,
            app_keys,
        };
        let outcome = import::import(&data, server.as_ref(), &options, &Progress::on_stderr())?;
        if bucket.blobs.is_some() {
            files::copy(&data, &bucket).context(
                "the import is done, its files are not in the bucket: spindle admin copy-files",
            )?;
        }
        let value = json!({
            "origin": outcome.origin.name(),
            "owner": outcome.imported.owner,
            "rows": outcome.imported.rows,
            "notes": outcome.imported.notes,
            "left_out": left_out(outcome.origin),
        });
        let folder = data.path().display().to_string();
        let place = server.map_or_else(|| folder.clone(), |url| Location::Server(url).to_string());
        self.output
            .print(&value, || text(&outcome, &place, &folder));
        Ok(ExitCode::SUCCESS)
    }
}

/// Data that no import from there includes, with the reasons.
fn left_out(origin: Origin) -> Vec<Value> {
    let pairs = origin.leaves_out().iter();
    pairs
        .map(|(what, why)| json!({"what": what, "why": why}))
        .collect()
}

fn text(outcome: &Outcome, place: &str, folder: &str) -> String {
    let (imported, origin) = (&outcome.imported, outcome.origin);
    let mut text = format!("imported from {} into {place}:\n", origin.name());
    for (table, count) in &imported.rows {
        let name = table.strip_prefix("zerver_").unwrap_or(table);
        let _ = writeln!(text, "{count:>10}  {name}");
    }
    text.push_str("never taken over, whatever an archive holds:\n");
    for (what, why) in origin.leaves_out() {
        let _ = writeln!(text, "            {what}: {why}");
    }
    if imported.notes.is_empty() {
        text.push_str("everything else is as it was\n");
    } else {
        text.push_str(
            "what else was left out or changed (how often); each is about something that the archive \
             does not hold or that this server does not have, and nothing else depends on it:\n",
        );
    }
    for (note, count) in &imported.notes {
        let _ = writeln!(text, "{count:>10}  {note}");
    }
    let _ = write!(
        text,
        "no account has a password or key yet; one for the first owner:\n  \
         spindle admin user zuliprc --data-dir {folder} --email {}",
        imported.owner
    );
    text
}
