//! A backup is a consistent snapshot, detects changes, and is restored sound and without queues.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use spindle_store::open;

use super::{Manifest, Source, check, create, create_and_keep, restore_data_dir, restore_database};
use spindle_config::data_dir::DataDir;

/// A data directory with a sound database, one event queue and one blob.
pub(super) fn server(folder: &Path) -> DataDir {
    let data = DataDir::new(folder.join("data"));
    data.create().unwrap();
    let mut connection = open(&data.database()).unwrap();
    spindle_store::migrate(&mut connection).unwrap();
    for sql in [
        "INSERT INTO realms (id, string_id, uuid, name, date_created) VALUES (1, '', 'u', 'R', 0)",
        "INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded, \
         full_name, full_name_folded, role, date_joined) \
         VALUES (1, 'a@b', 'a@b', 'a@b', 'a@b', 'A', 'a', 100, 0)",
        "INSERT INTO event_queues (id, number, realm_id, user_id, base_seq, created, \
         idle_timeout_secs, registration) SELECT 'q', 1, 1, id, 0, 0, 600, '{}' FROM users",
    ] {
        connection.execute(sql, []).unwrap();
    }
    fs::create_dir_all(data.blobs().join("ab")).unwrap();
    fs::write(data.blobs().join("ab/cd"), "content").unwrap();
    fs::create_dir_all(data.blobs().join("incoming")).unwrap();
    fs::write(data.blobs().join("incoming/half"), "being written").unwrap();
    fs::create_dir_all(data.blobs().join("partial")).unwrap();
    fs::write(data.blobs().join("partial/some"), "more to come").unwrap();
    open(&data.queues()).unwrap();
    data
}

fn count(database: &Path, sql: &str) -> i64 {
    let connection = open(database).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn what_was_backed_up_comes_back_without_queues() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    // A concurrent open transaction does not matter.
    let writer = open(&data.database()).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let backup = folder.path().join("backup");
    let manifest = create(&Source::data_dir(&data), &backup, 7).unwrap();
    let names: Vec<_> = manifest
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(names, ["spindle.db", "queues.db", "blobs/ab/cd"]);

    let restored = DataDir::new(folder.path().join("restored"));
    assert_eq!(restore_data_dir(&backup, &restored).unwrap(), manifest);
    assert_eq!(count(&restored.database(), "SELECT count(*) FROM users"), 1);
    assert_eq!(
        count(&restored.database(), "SELECT count(*) FROM event_queues"),
        0
    );
    assert_eq!(
        fs::read_to_string(restored.blobs().join("ab/cd")).unwrap(),
        "content"
    );
    assert!(!restored.queues().exists());
    assert!(check(&Source::data_dir(&restored)).unwrap().sound);

    let single = folder.path().join("single.db");
    restore_database(&backup, &single).unwrap();
    assert!(check(&Source::database(&single)).unwrap().sound);
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    let backup = folder.path().join("backup");
    create(&Source::data_dir(&data), &backup, 7).unwrap();
    assert!(create(&Source::data_dir(&data), &backup, 8).is_err());
    assert!(restore_data_dir(&backup, &data).is_err());
    assert!(restore_database(&backup, &data.database()).is_err());
}

#[test]
fn a_changed_or_unfinished_backup_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    let backup = folder.path().join("backup");
    create(&Source::data_dir(&data), &backup, 7).unwrap();
    let target = DataDir::new(folder.path().join("target"));

    fs::write(backup.join("blobs/ab/cd"), "Content").unwrap();
    assert!(
        restore_data_dir(&backup, &target)
            .unwrap_err()
            .to_string()
            .contains("blobs/ab/cd")
    );
    fs::write(backup.join("blobs/ab/cd"), "content").unwrap();
    let manifest = fs::read_to_string(backup.join("manifest.json")).unwrap();
    fs::write(
        backup.join("manifest.json"),
        manifest.replace("\"schema\": ", "\"schema\": 99"),
    )
    .unwrap();
    assert!(restore_data_dir(&backup, &target).is_err());
    fs::remove_file(backup.join("manifest.json")).unwrap();
    assert!(restore_data_dir(&backup, &target).is_err());
    assert!(!target.database().exists());
}

#[test]
fn damage_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    assert!(check(&Source::data_dir(&data)).unwrap().sound);
    let connection = open(&data.database()).unwrap();
    connection
        .execute("UPDATE users SET is_active = 0", [])
        .unwrap();
    let report = check(&Source::data_dir(&data)).unwrap();
    assert!(!report.sound);
    assert_eq!(
        report.findings.first().map(|found| found.check),
        Some("owners")
    );
    assert!(check(&Source::database(Path::new("no/such.db"))).is_err());
}

/// Files in a directory that other users may read.
fn readable(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let open = entries.filter(|entry| {
        let mode = entry.metadata().map_or(0, |data| data.permissions().mode());
        mode & 0o077 != 0
    });
    open.map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_backup_is_private_from_its_first_byte() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    let connection = open(&data.database()).unwrap();
    // Large enough to take a moment.
    let fill = "CREATE TABLE filling AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL \
                SELECT i + 1 FROM n WHERE i < 3000) SELECT i, zeroblob(10000) AS content FROM n";
    connection.execute(fill, []).unwrap();
    let backup = folder.path().join("backup");
    fs::create_dir(&backup).unwrap();
    fs::set_permissions(&backup, fs::Permissions::from_mode(0o755)).unwrap();
    let is_done = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut seen = Vec::new();
            while !is_done.load(Ordering::SeqCst) {
                seen.extend(readable(&backup));
            }
            seen
        });
        create(&Source::data_dir(&data), &backup, 7).unwrap();
        is_done.store(true, Ordering::SeqCst);
        looking.join().unwrap()
    });
    assert_eq!(seen, Vec::<String>::new());
    assert_eq!(readable(&backup), Vec::<String>::new());
}

#[test]
fn the_newest_backups_are_kept_and_nothing_else_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::data_dir(&server(folder.path()));
    let backups = folder.path().join("backups");
    let take = |now| create_and_keep(&source, &backups, 2, now).unwrap();
    let first = take(1_000_000);
    assert_eq!(first.removed, Vec::<PathBuf>::new());
    // Directories that were put there by other programs or by hand.
    let monday = backups.join("monday");
    create(&source, &monday, 7).unwrap();
    let file = backups.join("spindle-19700101T000000Z");
    fs::write(&file, "a file").unwrap();
    let outside = folder.path().join("outside");
    create(&source, &outside, 7).unwrap();
    let link = backups.join("spindle-19700101T000001Z");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    // The rest of a backup after a power failure; it does not count as a backup.
    let unfinished = backups.join("spindle-19700112T134641Z");
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("spindle.db"), "half").unwrap();

    let second = take(1_000_002);
    assert_eq!(second.removed, std::slice::from_ref(&unfinished));
    let third = take(1_000_003);
    assert_eq!(third.removed, std::slice::from_ref(&first.path));
    assert!(!first.path.exists() && !unfinished.exists());
    for path in [&second.path, &third.path, &monday, &outside] {
        Manifest::read_verified(path).unwrap();
    }
    assert!(file.is_file() && link.is_symlink());
    // The clock was ahead: the new backup stays, whatever its name.
    let early = take(1_000);
    assert_eq!(early.removed, [second.path]);
    Manifest::read_verified(&early.path).unwrap();
}

#[test]
fn a_backup_that_fails_removes_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    let source = Source::data_dir(&data);
    let backups = folder.path().join("backups");
    let first = create_and_keep(&source, &backups, 1, 1_000).unwrap();
    let gone = Source::database(&folder.path().join("gone.db"));
    assert!(create_and_keep(&gone, &backups, 1, 2_000).is_err());
    let held = std::fs::File::open(&backups).unwrap();
    held.lock().unwrap();
    let error = create_and_keep(&source, &backups, 1, 3_000).unwrap_err();
    assert!(error.to_string().contains("another backup"), "{error}");
    drop(held);
    assert_eq!(fs::read_dir(&backups).unwrap().count(), 1);
    Manifest::read_verified(&first.path).unwrap();
}

#[test]
fn two_backups_within_a_second_have_names_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::data_dir(&server(folder.path()));
    let backups = folder.path().join("backups");
    let take = || create_and_keep(&source, &backups, 2, 1_000).unwrap();
    let (first, second) = (take(), take());
    assert!(first.path < second.path);
    assert_eq!(second.manifest.created, 1_001);
    assert_eq!(fs::read_dir(&backups).unwrap().count(), 2);
}

#[test]
fn refusals_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path());
    let source = Source::data_dir(&data);
    let backups = folder.path().join("backups");
    let backup = create_and_keep(&source, &backups, 3, 1_000).unwrap().path;
    let said = |error: anyhow::Error| format!("{error:#}");
    let over = said(restore_data_dir(&backup, &data).unwrap_err());
    assert!(
        over.contains("--data-dir") && over.contains("move"),
        "{over}"
    );
    let over = said(restore_database(&backup, &data.database()).unwrap_err());
    assert!(
        over.contains("--database") && over.contains("move"),
        "{over}"
    );
    let several = said(restore_database(&backups, &folder.path().join("x.db")).unwrap_err());
    assert!(several.contains("spindle-19700101T001640Z"), "{several}");
    let full = said(create(&source, &backups, 7).unwrap_err());
    assert!(full.contains("--keep"), "{full}");
}
