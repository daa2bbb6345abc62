//! Restoring a backup into an empty directory, verified before and after.
//!
//! A restored server continues from the moment of the backup and would reuse the numbers of events
//! that clients have received since then. Therefore all event queues end, and clients register again,
//! as they do after any long absence. Acknowledgements and key-value stores are not restored.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use spindle_store::{RusqliteDb, SilentReason, change_silently, check, migrations, open, queues};

use super::create::{BLOBS, DATABASE};
use super::files;
use super::manifest::{FILE_NAME, Manifest};
use super::rotate;
use spindle_config::claim::claim;
use spindle_config::data_dir::DataDir;
use spindle_config::durable;

/// Restores a whole server into a data directory that is empty or does not exist.
///
/// # Errors
/// The backup is incomplete or comes from a newer program, the directory is not empty, or the restored
/// database is not sound.
pub fn restore_data_dir(backup: &Path, data: &DataDir) -> Result<Manifest> {
    let manifest = verified(backup)?;
    files::require_empty(data.path()).with_context(|| {
        format!(
            "nothing is restored over what is there: restore into a new directory (--data-dir) and start \
             the server on it, or move {} away first",
            data.path().display()
        )
    })?;
    let existed = data.path().exists();
    data.create()?;
    let claim = claim(data.path(), "spindle admin restore")?;
    let restored = put_files(backup, data, &manifest);
    if restored.is_err() {
        // The directory was empty, so everything in it, locks included, is from this restore.
        let _ = files::clear(data.path());
        if !existed {
            let _ = std::fs::remove_dir(data.path());
        }
    }
    drop(claim);
    restored.map(|()| manifest)
}

fn put_files(backup: &Path, data: &DataDir, manifest: &Manifest) -> Result<()> {
    for entry in manifest
        .files
        .iter()
        .filter(|entry| entry.path.starts_with(BLOBS))
    {
        files::copy_existing(backup, &entry.path, &data.path().join(&entry.path))?;
    }
    // The database last: an interrupted restore leaves nothing that a server would start with.
    put_database(backup, &data.database())?;
    durable::sync_directory(data.path())
}

/// Restores only the database, into a file that does not exist yet, for use with Spin.
///
/// # Errors
/// As [`restore_data_dir`].
pub fn restore_database(backup: &Path, database: &Path) -> Result<Manifest> {
    let manifest = verified(backup)?;
    put_database(backup, database)?;
    Ok(manifest)
}

fn verified(backup: &Path) -> Result<Manifest> {
    if let Some(newest) = rotate::newest(backup).filter(|_| !backup.join(FILE_NAME).exists()) {
        bail!(
            "{} holds several backups: name one of them, such as {}",
            backup.display(),
            newest.display()
        );
    }
    let manifest = Manifest::read_verified(backup)?;
    if !manifest.has(DATABASE) {
        bail!("the backup has no database");
    }
    let known = migrations::MIGRATIONS.len();
    if usize::try_from(manifest.schema).map_or(true, |schema| schema > known) {
        bail!(
            "the backup was written by version {} with {} migrations; this program knows {known}",
            manifest.version,
            manifest.schema
        );
    }
    Ok(manifest)
}

fn put_database(backup: &Path, target: &Path) -> Result<()> {
    if target.exists() {
        bail!(
            "{} exists already, and nothing is restored over it: restore into a new file (--database), or \
             move this one away first, with the -wal and -shm beside it",
            target.display()
        );
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = target.with_file_name(format!(".{name}.restoring"));
    files::copy_existing(backup, DATABASE, &unfinished)?;
    let prepared = prepare(&unfinished);
    if prepared.is_err() {
        for more in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(target.with_file_name(format!(".{name}.restoring{more}")));
        }
    }
    prepared?;
    std::fs::rename(&unfinished, target).with_context(|| target.display().to_string())
}

/// Migrates the copy to this program's schema, ends its queues and checks it.
fn prepare(path: &Path) -> Result<()> {
    let mut connection = open(path)?;
    spindle_store::migrate(&mut connection)?;
    let db = RusqliteDb::new(&connection);
    change_silently(&db, SilentReason::Queues, queues::delete_all)
        .context("ending the event queues")?;
    let findings = check::check(&db)?;
    if let Some(finding) = findings.first() {
        bail!(
            "the database is not sound: {}: {}",
            finding.check,
            finding.detail
        );
    }
    // Merge the write-ahead log into the file that is renamed; closing removes the log.
    connection.pragma_update(None, "journal_mode", "delete")?;
    connection.close().map_err(|(_, error)| error)?;
    durable::make_private_and_sync(path)
}
