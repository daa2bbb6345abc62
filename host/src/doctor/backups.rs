//! The age of the last backup, and whether it still exists.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Finding, Scene};
use crate::backup::{self, Note};

const NAME: &str = "backups";
const HOUR: i64 = 3600;
/// Backups are made daily; one may fail.
const OLD: i64 = 48 * HOUR;

/// Checks the record of the last backup.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if let Some(url) = &scene.config.database_url {
        let found = format!(
            "not seen from here: the tools of PostgreSQL back up {url}, and {} is copied after that",
            scene.data.blobs().display()
        );
        return vec![Finding::ok(NAME, found)];
    }
    let Some(note) = backup::noted(scene.data) else {
        return vec![Finding::warning(
            NAME,
            "no backup was ever made",
            "spindle admin backup DIRECTORY, once a day: docs/OPERATIONS.md, Backup",
        )];
    };
    let is_there = note.path.try_exists().unwrap_or(true);
    let on_same_disk = lies_on_disk_of(&note.path, scene.data.path());
    let last = judge(&note, scene.now, is_there, on_same_disk);
    let foreign = foreign(&backup::beside(&note.path), scene.data.path());
    [Some(last), foreign].into_iter().flatten().collect()
}

/// A backup that the server's account cannot remove, since another one has written it.
fn foreign(backups: &[PathBuf], data: &Path) -> Option<Finding> {
    let owner = fs::metadata(data).ok()?.uid();
    let mut found = backups
        .iter()
        .filter_map(|path| Some((path, fs::metadata(path).ok()?.uid())));
    let (path, other) = found.find(|(_, other)| *other != owner)?;
    Some(Finding::warning(
        NAME,
        format!(
            "{} belongs to account {other}, the data directory to {owner}: `spindle admin backup --keep` of that \
             account cannot remove it",
            path.display()
        ),
        format!("chown -R --reference={} {}", data.display(), path.display()),
    ))
}

fn judge(note: &Note, now: i64, is_there: bool, on_same_disk: bool) -> Finding {
    let age = now - i64::try_from(note.created).unwrap_or(i64::MAX);
    let found = format!(
        "the last one was made {} hours ago ({})",
        age.max(0) / HOUR,
        note.path.display()
    );
    if age > OLD {
        let advice = "see whether the timer that runs `spindle admin backup` still does";
        return Finding::warning(NAME, found, advice);
    }
    if !is_there {
        let found = format!("{found}, and is not there any more");
        let advice = "make sure that it was moved to another machine, and not deleted";
        return Finding::warning(NAME, found, advice);
    }
    if on_same_disk {
        let found = format!("{found}, on the disk of the data: keep a copy elsewhere as well");
        return Finding::ok(NAME, found);
    }
    Finding::ok(NAME, found)
}

fn lies_on_disk_of(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => one.dev() == other.dev(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_backup_of_another_account_is_seen() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [
            "data",
            "spindle-20261122T031500Z",
            "spindle-20261123T031500Z",
        ] {
            fs::create_dir(path(name)).unwrap();
        }
        let last = path("spindle-20261123T031500Z");
        let judged = || foreign(&backup::beside(&last), &path("data"));
        assert!(judged().is_none());
        for name in ["data", "spindle-20261123T031500Z"] {
            std::os::unix::fs::chown(path(name), Some(65_533), None).unwrap();
        }
        let finding = judged().expect("a finding");
        assert_eq!(finding.level, Level::Warning);
        assert!(finding.found.contains("20261122"), "{}", finding.found);
        assert!(finding.advice.unwrap().contains("chown"));
    }

    #[test]
    fn old_and_lost_backups_are_seen() {
        let note = Note {
            created: 1000,
            path: "/backups/one".into(),
            bytes: 7,
        };
        for (hours, is_there, expected) in [
            (1, true, Level::Ok),
            (1, false, Level::Warning),
            (49, true, Level::Warning),
        ] {
            let found = judge(&note, 1000 + hours * HOUR, is_there, true);
            assert_eq!(found.level, expected, "{}", found.found);
            assert!(found.found.contains(&format!("{hours} hours")));
        }
    }
}
