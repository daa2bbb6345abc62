//! `spindle admin audit`: reads, checks and shortens the audit log.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use serde_json::json;
use spindle_actions::audit::AuditFilter;
use spindle_domain::audit::KINDS;

use super::super::output::{Output, TableOutput};
use super::super::target::TargetServer;
use crate::admin::{AuditEntry, Session};

const COLUMNS: [&str; 9] = [
    "id",
    "time",
    "acting",
    "acting_user_id",
    "modified_user_id",
    "event_type",
    "data",
    "position",
    "digest",
];

/// Without a subcommand it prints entries, the oldest first.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct Audit {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Remove old entries, for good. Another entry records it.
    Prune(Prune),
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    target: TargetServer,
    #[command(flatten)]
    output: TableOutput,
    /// Entries from this time on: RFC 3339, such as 2026-01-31T00:00:00Z, or an age, such as 7d, 12h or 30m.
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<i64>,
    /// Entries before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<i64>,
    /// Changes by or of the account with this email.
    #[arg(long, value_name = "ADDRESS")]
    user: Option<String>,
    /// Entries of this kind; may be repeated.
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS), hide_possible_values = true)]
    kind: Vec<String>,
    /// Check the chain of digests in place of printing entries. The status is 1 where it is broken.
    #[arg(long, conflicts_with_all = ["since", "until", "user", "kind"])]
    verify: bool,
}

#[derive(Debug, Args)]
struct Prune {
    #[command(flatten)]
    target: TargetServer,
    #[command(flatten)]
    output: Output,
    /// Entries before this time are removed: RFC 3339, or an age, such as 365d.
    #[arg(long, value_name = "TIME", value_parser = time)]
    before: i64,
}

impl Audit {
    pub(super) fn target(&self) -> &TargetServer {
        match &self.command {
            Some(Command::Prune(prune)) => &prune.target,
            None => &self.list.target,
        }
    }

    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            Some(Command::Prune(prune)) => prune.run(),
            None if self.list.verify => self.list.verify(),
            None => self.list.print(),
        }
    }
}

impl List {
    fn print(self) -> Result<ExitCode> {
        let session = Session::open_to_administer(self.target.location()?)?;
        let all = AuditFilter::default();
        let filter = AuditFilter {
            kinds: (!self.kind.is_empty()).then(|| json!(self.kind).to_string()),
            since: self.since.unwrap_or(all.since),
            until: self.until.unwrap_or(all.until),
            ..all
        };
        let printer = self.output.begin(&COLUMNS);
        session.audit_entries(filter, self.user.as_deref(), |entry| {
            printer.row(&serde_json::to_value(&entry)?, &line(&entry));
            Ok(())
        })?;
        printer.end();
        Ok(ExitCode::SUCCESS)
    }

    fn verify(self) -> Result<ExitCode> {
        let session = Session::open_to_administer(self.target.location()?)?;
        let verified = session.verify_audit_log()?;
        let broken = verified.broken.as_ref();
        let value = json!({
            "entries": verified.entries,
            "position": verified.end.position,
            "digest": verified.end.digest,
            "broken_position": broken.map(|broken| broken.position),
            "why": broken.map(|broken| broken.why),
        });
        let (entries, end) = (verified.entries, &verified.end);
        let columns = ["entries", "position", "digest", "broken_position", "why"];
        self.output.print(&columns, &json!([value]), || match broken {
            Some(broken) => format!("broken at position {}: {}", broken.position, broken.why),
            None => format!(
                "{entries} entries are as they were written; the last one: position {}, digest {}",
                end.position, end.digest
            ),
        });
        Ok(match broken {
            Some(_) => ExitCode::FAILURE,
            None => ExitCode::SUCCESS,
        })
    }
}

impl Prune {
    fn run(self) -> Result<ExitCode> {
        let session = Session::open_to_administer(self.target.location()?)?;
        let removed = session.prune_audit_log(self.before)?;
        let value = json!({"removed": removed});
        self.output
            .print(&value, || format!("{removed} entries were removed"));
        Ok(ExitCode::SUCCESS)
    }
}

fn line(entry: &AuditEntry) -> String {
    let time = jiff::Timestamp::from_second(entry.time);
    let time = time.map_or_else(|_| entry.time.to_string(), |time| time.to_string());
    let who = match entry.acting_user_id {
        Some(id) => format!("user {id}"),
        None => entry.acting.to_owned(),
    };
    let whom = entry.modified_user_id;
    let whom = whom.map_or_else(String::new, |id| format!("user {id}"));
    let (id, kind, data) = (entry.id, &entry.event_type, &entry.data);
    format!("{id:>8}  {time}  {who:<12} {kind:<32} {whom:<12} {data}")
}

/// A time in UNIX seconds: RFC 3339, or so long ago.
fn time(text: &str) -> Result<i64> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.as_second());
    }
    let unit = text.chars().last();
    let seconds = match unit {
        Some('d') => 86_400,
        Some('h') => 3600,
        Some('m') => 60,
        _ => 0,
    };
    let number = text.get(..text.len().saturating_sub(1));
    let number = number.and_then(|number| number.parse::<u32>().ok());
    match number.filter(|_| seconds > 0) {
        Some(number) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
            Ok(i64::try_from(now)? - i64::from(number) * seconds)
        }
        None => {
            bail!("expected a time such as 2026-01-31T00:00:00Z, or an age such as 7d, 12h or 30m")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ages() {
        assert_eq!(time("1970-01-02T00:00:01Z").unwrap(), 86_401);
        assert_eq!(time("1970-01-01T02:00:00+01:00").unwrap(), 3600);
        let now = time("0m").unwrap();
        assert!((now - 7 * 86_400 - time("7d").unwrap()).abs() < 60);
        assert!((now - 7200 - time("2h").unwrap()).abs() < 60);
        for wrong in ["", "7", "d", "-1d", "7w", "yesterday", "1é"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
