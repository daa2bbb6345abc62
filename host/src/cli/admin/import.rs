//! `spindle admin import`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;
use spindle_actions::Imported;

use super::super::output::Output;
use super::super::target::Target;
use crate::import::{self, Options};

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
        let imported = import::import(&data, &options)?;
        let value = json!({
            "owner": imported.owner,
            "rows": imported.rows,
            "notes": imported.notes,
        });
        let folder = data.path().display().to_string();
        self.output.print(&value, || text(&imported, &folder));
        Ok(ExitCode::SUCCESS)
    }
}

fn text(imported: &Imported, folder: &str) -> String {
    let mut text = format!("imported into {folder}:\n");
    for (table, count) in &imported.rows {
        let name = table.strip_prefix("zerver_").unwrap_or(table);
        let _ = writeln!(text, "{count:>10}  {name}");
    }
    if !imported.notes.is_empty() {
        text.push_str("what is not as it was (how often):\n");
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
