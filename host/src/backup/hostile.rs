//! Altered backups with matching checksums: each is refused, and the restore leaves nothing behind.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rusqlite::Connection;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use spindle_store::open;

use super::files::describe;
use super::tests::server;
use super::{Manifest, Source, check, create, restore_data_dir, restore_database};
use spindle_config::data_dir::DataDir;

/// A backup of [`server`].
fn backup(folder: &Path) -> std::path::PathBuf {
    let backup = folder.join("backup");
    create(&Source::data_dir(&server(folder)), &backup, 7).unwrap();
    backup
}

/// Writes the checksum of the database into the manifest.
fn sign(backup: &Path) {
    let path = backup.join("manifest.json");
    let mut manifest: Manifest = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for entry in &mut manifest.files {
        if entry.path == "spindle.db" {
            *entry = describe(backup, "spindle.db").unwrap();
        }
    }
    fs::write(&path, serde_json::to_string(&manifest).unwrap()).unwrap();
}

/// Changes the database of a backup, as one file.
fn change(backup: &Path, sql: &str) {
    let connection = Connection::open(backup.join("spindle.db")).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    sign(backup);
}

/// Asserts that neither kind of restore works, and that nothing is left of them.
#[track_caller]
fn refused(backup: &Path, reason: &str) {
    let folder = backup.parent().unwrap();
    let target = DataDir::new(folder.join("target"));
    let error = format!("{:#}", restore_data_dir(backup, &target).unwrap_err());
    assert!(error.contains(reason), "{reason}: {error}");
    assert!(!target.path().exists(), "{reason}");
    fs::create_dir(target.path()).unwrap();
    restore_data_dir(backup, &target).unwrap_err();
    assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0, "{reason}");
    fs::remove_dir(target.path()).unwrap();
    let beside = folder.join("beside");
    fs::create_dir(&beside).unwrap();
    restore_database(backup, &beside.join("x.db")).unwrap_err();
    assert_eq!(fs::read_dir(&beside).unwrap().count(), 0, "{reason}");
    fs::remove_dir(&beside).unwrap();
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn a_database_with_another_schema_is_not_restored() {
    for (sql, reason) in [
        ("DROP TABLE attachment_messages", "attachment_messages"),
        ("DROP INDEX messages_by_date", "messages_by_date is missing"),
        (
            "CREATE TRIGGER t AFTER INSERT ON messages WHEN new.content = 'x' \
             BEGIN UPDATE users SET role = 100; END",
            "trigger t",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let backup = backup(folder.path());
        change(&backup, sql);
        refused(&backup, reason);
        let report = check(&Source::database(&backup.join("spindle.db"))).unwrap();
        assert!(!report.sound, "{sql}");
        assert!(report.findings[0].detail.contains(reason), "{report:?}");
    }
}

#[test]
fn a_database_of_another_program_is_neither_restored_nor_saved() {
    let folder = tempfile::tempdir().unwrap();
    let backup = backup(folder.path());
    let foreign = folder.path().join("foreign.db");
    let connection = Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE a (b)").unwrap();
    drop(connection);
    let content = fs::read(&foreign).unwrap();
    let source = Source::database(&foreign);
    let saved = create(&source, &folder.path().join("saved"), 7).unwrap_err();
    assert!(
        format!("{saved:#}").contains("another program"),
        "{saved:#}"
    );
    check(&source).unwrap_err();
    assert_eq!(fs::read(&foreign).unwrap(), content, "it is as it was");
    fs::copy(&foreign, backup.join("spindle.db")).unwrap();
    sign(&backup);
    refused(&backup, "another program");
}

#[test]
fn only_regular_files_are_restored() {
    let folder = tempfile::tempdir().unwrap();
    let backup = backup(folder.path());
    let blob = backup.join("blobs/ab/cd");
    fs::remove_file(&blob).unwrap();
    pipe(&blob);
    refused(&backup, "not a regular file");
    fs::remove_file(&blob).unwrap();
    let outside = folder.path().join("outside");
    fs::write(&outside, "content").unwrap();
    symlink(&outside, &blob).unwrap();
    refused(&backup, "not a regular file");
    // A link on the way is one, too.
    fs::remove_dir_all(backup.join("blobs/ab")).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("cd"), "content").unwrap();
    symlink(&elsewhere, backup.join("blobs/ab")).unwrap();
    refused(&backup, "not a regular file");
    fs::remove_file(backup.join("manifest.json")).unwrap();
    pipe(&backup.join("manifest.json"));
    refused(&backup, "not a regular file");
}

#[test]
fn a_pipe_in_the_place_of_a_database_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spindle.db");
    pipe(&path);
    for error in [
        open(&path).unwrap_err(),
        spindle_store::open_to_read(&path).unwrap_err(),
    ] {
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }
}
