//! Taking a backup while the server runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use spindle_store::{RusqliteDb, check, open};

use super::files;
use super::manifest::{FILE_NAME, Manifest};
use spindle_config::data_dir::{DataDir, create_private_file};
use spindle_config::durable;
use spindle_database::require_own;

/// The files to back up: the database, and the files next to it, if they exist.
#[derive(Clone, Debug)]
pub struct Source {
    /// State and event log.
    pub database: PathBuf,
    /// Other databases: name in the backup and file.
    pub others: Vec<(&'static str, PathBuf)>,
    /// Directory of the blobs.
    pub blobs: Option<PathBuf>,
}

impl Source {
    /// All files of a data directory.
    pub fn data_dir(data: &DataDir) -> Self {
        Self {
            database: data.database(),
            others: vec![(QUEUES, data.queues()), (KEY_VALUE, data.key_value())],
            blobs: Some(data.blobs()),
        }
    }

    /// One database file, as Spin uses it.
    pub fn database(path: &Path) -> Self {
        Self {
            database: path.to_owned(),
            others: Vec::new(),
            blobs: None,
        }
    }
}

/// Names in a backup.
pub(super) const DATABASE: &str = "spindle.db";
pub(super) const QUEUES: &str = "queues.db";
pub(super) const KEY_VALUE: &str = "key_value.db";
pub(super) const BLOBS: &str = "blobs/";

/// Directories of blobs that are incomplete; clients upload these again.
const UNFINISHED: [&str; 2] = ["incoming/", "partial/"];

/// Writes a backup of `source` into `destination`, a directory that is empty or does not exist.
/// `now` is in UNIX seconds.
///
/// # Errors
/// The destination is not empty, the source has no database, or a file cannot be written; what
/// was written so far then stays, without a manifest.
pub fn create(source: &Source, destination: &Path, now: u64) -> Result<Manifest> {
    files::require_empty(destination).context(
        "a backup goes into a new directory; with --keep N, into one that it makes itself",
    )?;
    durable::create_directories(destination)?;
    // Blobs are written before the rows that refer to them and deleted after those rows. So the
    // blobs that exist before the database is copied, plus those that exist afterwards, include every
    // blob that the copy refers to.
    let mut stored = BTreeSet::new();
    copy_blobs(source, destination, &mut stored)?;
    if source.database.is_file() {
        require_own(&source.database).with_context(|| source.database.display().to_string())?;
    }
    let schema = copy_database(&source.database, &destination.join(DATABASE))?;
    let mut names = vec![DATABASE.to_owned()];
    for (name, path) in &source.others {
        if path.exists() {
            copy_database(path, &destination.join(name))?;
            names.push((*name).to_owned());
        }
    }
    copy_blobs(source, destination, &mut stored)?;
    names.extend(stored.iter().map(|path| format!("{BLOBS}{path}")));
    let entries = names
        .iter()
        .map(|name| files::describe(destination, name))
        .collect::<Result<_>>()?;
    let manifest = Manifest::new(schema, now, entries);
    durable::sync_directory(destination)?;
    files::write_new(
        &destination.join(FILE_NAME),
        &serde_json::to_string_pretty(&manifest)?,
    )?;
    durable::sync_directory(destination)?;
    Ok(manifest)
}

/// Copies the blobs that are not yet in `stored`, and adds them to it. A blob that is deleted during the copy is
/// skipped.
fn copy_blobs(source: &Source, destination: &Path, stored: &mut BTreeSet<String>) -> Result<()> {
    let Some(blobs) = &source.blobs else {
        return Ok(());
    };
    for path in files::list(blobs)? {
        let is_unfinished = UNFINISHED.iter().any(|folder| path.starts_with(folder));
        if is_unfinished || stored.contains(&path) {
            continue;
        }
        let copy = destination.join(format!("{BLOBS}{path}"));
        if files::copy_new(blobs, &path, &copy)? {
            stored.insert(path);
        }
    }
    Ok(())
}

/// Copies a consistent snapshot of one database; returns its schema version.
fn copy_database(from: &Path, to: &Path) -> Result<i64> {
    if !from.is_file() {
        anyhow::bail!("there is no database at {}", from.display());
    }
    let connection = open(from).with_context(|| from.display().to_string())?;
    let db = RusqliteDb::new(&connection);
    let target = to
        .to_str()
        .with_context(|| format!("{} is not text", to.display()))?;
    // SQLite would create it readable for others.
    create_private_file(to)?;
    check::copy_to(&db, target).with_context(|| format!("copying {}", from.display()))?;
    durable::make_private_and_sync(to)?;
    check::schema_version(&db).with_context(|| from.display().to_string())
}
