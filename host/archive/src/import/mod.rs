//! Imports an archive into an empty data directory, or an empty database of PostgreSQL: one of Zulip's layout, or one of
//! Slack or Mattermost, which is translated into rows of that layout.
//!
//! Owns reading the archive, which is untrusted: it is read twice, first for its rows and then for
//! its files, and never unpacked by its own names. `spindle_actions` converts the rows. The import
//! builds everything in a folder within the data directory and renames it at the end, so that a
//! failed import leaves nothing behind. For PostgreSQL the same database file is built, and then moved there
//! (docs/adr/0058-archives-on-postgresql.md).

mod apps;
mod archive;
mod bounds;
mod chat;
mod files;
mod foreign;
#[cfg(test)]
mod hostile;
mod json;
mod limited;
mod mattermost;
mod options;
mod receipts;
mod slack;
mod sorter;
mod staging;
mod tables;
#[cfg(test)]
mod testing;
mod translate;
mod unzip;
mod writers;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use rusqlite::Connection;
use spindle_actions::apps::AppKeys;
use spindle_actions::import::{IMPORT_TABLES, Import, Imported};
use spindle_store::import::bulk;
use spindle_store::{RusqliteDb, check, open};

use crate::transfer;
use apps::Apps;
use archive::Archive;
use bounds::Bounds;
pub use options::{Options, Origin, Outcome};
use spindle_blobs::Folder;
use spindle_config::DatabaseUrl;
use spindle_config::data_dir::DataDir;
use spindle_system::progress::{Progress, Unit};
use staging::Staging;
pub use staging::require_ended;
use tables::Tables;
use unzip::Unzip;

/// Imports an archive into a data directory that is empty or does not exist, and reports
/// progress. With `server`, the organization goes into that database, and its files into the data directory.
///
/// # Errors
/// The archive is damaged, too large or no export; the directory is in use, or the database has an organization. Nothing has
/// changed then.
pub fn import(
    data: &DataDir,
    server: Option<&DatabaseUrl>,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome> {
    import_within(data, server, options, Bounds::default(), progress)
}

/// As [`import`], of an archive that holds at most so much.
fn import_within(
    data: &DataDir,
    server: Option<&DatabaseUrl>,
    options: &Options,
    bounds: Bounds,
    progress: &Progress,
) -> Result<Outcome> {
    let is_zip = Unzip::is_one(&options.archive)
        .with_context(|| format!("the archive {} cannot be read", options.archive.display()))?;
    if !is_zip && (options.email_domain.is_some() || options.name.is_some()) {
        bail!(
            "--email-domain and --name are for archives of Slack and Mattermost, which are zip files"
        );
    }
    // Before anything is removed: files of an organization that is there are its own.
    if let Some(url) = server {
        transfer::require_free(url)?;
    }
    let mut staging = Staging::claim(data, server)?;
    let folder = staging.folder("tables")?;
    let mut source = if is_zip {
        translate::translate(options, bounds, &folder, progress)?
    } else {
        let archive = Archive::new(&options.archive, options.most, &bounds);
        Source {
            origin: Origin::Zulip,
            tables: Tables::read(&archive, &folder, &bounds, progress)?,
            notes: BTreeMap::new(),
            files: Box::new(archive),
        }
    };
    let blobs = Folder::open(&staging.files()?)?;
    let run = ImportRun {
        database: staging.path("spindle.db"),
        tables: &source.tables,
        notes: &source.notes,
        files: &mut *source.files,
        blobs: &blobs,
        owner: options.owner.as_deref(),
        app_keys: &options.app_keys,
        is_searched: server.is_none(),
        progress,
    };
    let imported = run.run()?;
    match server {
        None => staging.settle(data)?,
        Some(url) => {
            let taken_in = transfer::take_in(&staging.path("spindle.db"), url, progress);
            if taken_in.is_err() && transfer::has_organization(url).unwrap_or(true) {
                // It may be the imported organization, if the last answer of the server was lost, or one that another
                // node has created in between, whose users may have uploaded files.
                staging.leave();
            }
            taken_in?;
            staging.keep_files()?;
        }
    }
    Ok(Outcome {
        origin: source.origin,
        imported,
    })
}

/// An archive of which the rows have been read.
struct Source {
    origin: Origin,
    tables: Tables,
    /// Notes on data that was left out or changed, each with a count.
    notes: BTreeMap<String, u64>,
    files: Box<dyn Files>,
}

/// The files of an archive that hold no rows.
trait Files {
    /// Hands every file to `visit`: its path in the layout, and its content.
    fn each(
        &mut self,
        progress: &Progress,
        visit: &mut dyn FnMut(&str, &mut dyn Read) -> Result<()>,
    ) -> Result<()>;
}

/// The name of the walk over files in progress reports.
const STORING: &str = "storing files";

impl Files for Archive {
    fn each(
        &mut self,
        progress: &Progress,
        visit: &mut dyn FnMut(&str, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        Self::each(self, STORING, progress, |path, _, content| {
            visit(path, content)
        })
    }
}

/// Builds the database. Indexes, the full-text index and checks come once at the end; nothing is
/// synchronized before it is complete, since after a crash no server uses it.
struct ImportRun<'f> {
    database: PathBuf,
    tables: &'f Tables,
    notes: &'f BTreeMap<String, u64>,
    files: &'f mut dyn Files,
    blobs: &'f Folder,
    owner: Option<&'f str>,
    app_keys: &'f AppKeys,
    /// Whether servers will use this file, and not a copy in another database, which makes its messages searchable itself.
    is_searched: bool,
    progress: &'f Progress,
}

impl ImportRun<'_> {
    fn run(self) -> Result<Imported> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let mut connection = open(&self.database)?;
        spindle_store::migrate(&mut connection)?;
        bulk::prepare(&connection)?;
        let postponed = bulk::postpone(&connection)?;
        let db = RusqliteDb::new(&connection);
        let mut import = Import::begin(&db, i64::try_from(now)?, self.owner)?;
        self.rows(&mut import)?;
        self.indexes(&connection, &postponed)?;
        let apps = Apps::new(&self.tables.apps, self.app_keys);
        if self.tables.other_files() > 0 {
            files::store_all(self.files, self.blobs, &mut import, apps, self.progress)?;
        } else {
            apps.finish(&mut import);
        }
        let imported = import.finish()?;
        self.progress.step("checking the database", Unit::Pieces, 0);
        let findings = match self.is_searched {
            true => check::check_filled(&db)?,
            false => check::check_filled_but_searches(&db)?,
        };
        if let Some(finding) = findings.first() {
            bail!(
                "the imported database is not sound: {}: {}",
                finding.check,
                finding.detail
            );
        }
        // Everything goes into the one file that is renamed; closing removes the others.
        connection.pragma_update(None, "journal_mode", "delete")?;
        connection.close().map_err(|(_, error)| error)?;
        self.progress
            .step("writing it to the disk", Unit::Pieces, 0);
        spindle_config::durable::make_private_and_sync(&self.database)
            .context("the imported database")?;
        Ok(imported)
    }

    /// Takes in every row of every table.
    fn rows(&self, import: &mut Import<'_>) -> Result<()> {
        for (note, times) in self.notes {
            import.note_times(note, *times);
        }
        for (table, rows) in self.tables.unknown() {
            import.note(format!("table {table} is not known here ({rows} rows)"));
        }
        for name in self.tables.unknown_of_receipts() {
            let table = receipts::TABLE;
            import.note(format!("column {table}.{name} is not known here"));
        }
        let (progress, total) = (self.progress, self.tables.all_rows());
        progress.step("taking in rows", Unit::Rows, total);
        for &table in IMPORT_TABLES {
            for file in self.tables.files(table) {
                if table == receipts::TABLE {
                    receipts::each(&file, |rows| {
                        import.receipts(rows)?;
                        progress.add(rows.len() as u64);
                        Ok(())
                    })?;
                } else {
                    tables::each(&file, |columns| {
                        import.row(table, columns)?;
                        progress.add(1);
                        Ok(())
                    })?;
                }
                // A reserve for its conversion.
                fs::remove_file(&file).with_context(|| file.display().to_string())?;
            }
            import.end_table(table)?;
        }
        Ok(())
    }

    /// Builds the indexes that were not maintained row by row.
    fn indexes(&self, connection: &Connection, postponed: &bulk::Postponed) -> Result<()> {
        let progress = self.progress;
        progress.step("making indexes", Unit::Pieces, postponed.steps());
        postponed.make_indexes(connection, || progress.add(1))?;
        if !self.is_searched {
            return Ok(());
        }
        let messages = self.tables.rows("zerver_message");
        progress.step("making messages searchable", Unit::Rows, messages);
        postponed.make_searchable(connection, |count| progress.add(count))?;
        Ok(())
    }
}
