//! `spindle admin import`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use spindle_actions::{IMPORT_LEAVES_OUT, Imported};

use super::super::output::Output;
use super::super::target::Target;
use crate::import::{self, Options};
use crate::progress::Progress;

#[derive(Debug, Args)]
pub(in crate::cli) struct Import {
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    output: Output,
    /// Address of somebody who becomes an owner: whoever has it in the archive, else a new
    /// account. Needed when no owner is among those whose accounts left.
    #[arg(long, value_name = "EMAIL")]
    owner: Option<String>,
    /// Refuse an archive that unpacks to more than this.
    #[arg(long, value_name = "GIB", default_value_t = 64)]
    max_gib: u32,
    /// A data export: `.tar.gz` in Zulip's layout.
    #[arg(value_name = "ARCHIVE")]
    archive: PathBuf,
}

impl Import {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Some(data) = self.target.data_dir()? else {
            bail!("an archive is imported into a data directory, where its files have a place");
        };
        let options = Options {
            archive: self.archive,
            owner: self.owner,
            most: u64::from(self.max_gib) << 30,
        };
        let imported = import::import(&data, &options, &Progress::on_stderr())?;
        let value = json!({
            "owner": imported.owner,
            "rows": imported.rows,
            "notes": imported.notes,
            "left_out": left_out(),
        });
        let folder = data.path().display().to_string();
        self.output.print(&value, || text(&imported, &folder));
        Ok(ExitCode::SUCCESS)
    }
}

/// What no import takes over, and why.
fn left_out() -> Vec<Value> {
    let pairs = IMPORT_LEAVES_OUT.iter();
    pairs
        .map(|(what, why)| json!({"what": what, "why": why}))
        .collect()
}

fn text(imported: &Imported, folder: &str) -> String {
    let mut text = format!("imported into {folder}:\n");
    for (table, count) in &imported.rows {
        let name = table.strip_prefix("zerver_").unwrap_or(table);
        let _ = writeln!(text, "{count:>10}  {name}");
    }
    text.push_str("never taken over, whatever an archive holds:\n");
    for (what, why) in IMPORT_LEAVES_OUT {
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
        "nobody has a password or key yet; one for the first owner:\n  \
         spindle admin user zuliprc --data-dir {folder} --email {}",
        imported.owner
    );
    text
}
