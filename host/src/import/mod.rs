//! Imports an archive of Zulip's layout into an empty data directory (markup-export-facts 2.5).
//!
//! Owns reading what somebody else has packed: the archive is walked twice, without ever being
//! unpacked by its own names, first for its tables and then for its files. What rows become is
//! decided by `spindle_actions`. Everything is made in a folder of its own within the data
//! directory and takes its place at the end, so that a failed import leaves nothing behind.

mod archive;
mod files;
mod place;
mod tables;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use spindle_actions::{IMPORT_TABLES, Import, Imported};
use spindle_store::{RusqliteDb, check, migrations, open};

use crate::blobs::BlobStore;
use crate::data_dir::DataDir;
use archive::Archive;
use place::Place;
use tables::Tables;

/// What is imported, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The archive, a tar that is compressed by gzip.
    pub archive: PathBuf,
    /// Address of the account that is to be an owner.
    pub owner: Option<String>,
    /// Most bytes that the archive may unpack to.
    pub most: u64,
}

/// Imports an archive into a data directory that is empty or does not exist.
///
/// # Errors
/// The archive is damaged, too large or holds what no export holds; the directory is in use.
/// Nothing has changed then.
pub fn import(data: &DataDir, options: &Options) -> Result<Imported> {
    let archive = Archive::new(&options.archive, options.most);
    let place = Place::claim(data)?;
    let tables = Tables::read(&archive, &place.folder("tables")?)?;
    let blobs = BlobStore::open(&place.folder("blobs")?)?;
    let database = place.path("spindle.db");
    let imported = fill(
        &database,
        &tables,
        &archive,
        &blobs,
        options.owner.as_deref(),
    )?;
    place.settle(data)?;
    Ok(imported)
}

/// Makes the database.
fn fill(
    path: &Path,
    tables: &Tables,
    archive: &Archive,
    blobs: &BlobStore,
    owner: Option<&str>,
) -> Result<Imported> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let mut connection = open(path)?;
    migrations::migrate(&mut connection)?;
    let db = RusqliteDb::new(&connection);
    let mut import = Import::begin(&db, i64::try_from(now)?, owner)?;
    for (table, rows) in tables.unknown() {
        import.note(format!("table {table} is not known here ({rows} rows)"));
    }
    for &table in IMPORT_TABLES {
        for file in tables.files(table) {
            tables::each(&file, |columns| Ok(import.row(table, columns)?))?;
        }
        import.end_table(table)?;
    }
    files::store_all(archive, blobs, &mut import)?;
    let imported = import.finish()?;
    if let Some(finding) = check::check(&db)?.first() {
        bail!(
            "the imported database is not sound: {}: {}",
            finding.check,
            finding.detail
        );
    }
    // Everything into the one file that takes its place; closing removes the rest.
    connection.pragma_update(None, "journal_mode", "delete")?;
    connection.close().map_err(|(_, error)| error)?;
    crate::backup::make_private_and_sync(path).context("the imported database")?;
    Ok(imported)
}
