//! Whether the disk has free space, and whether it is suitable for a database.

use std::fs;
use std::path::PathBuf;

use super::{Finding, Scene};

const NAME: &str = "disk";
const GIB: u64 = 1 << 30;
/// A write-ahead log of this size is stuck behind a reader.
const LONG_LOG: u64 = GIB;
/// Network file systems, by their magic numbers.
const OVER_NETWORK: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x517b, "SMB"),
    (0x0102_1997, "9P"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
];

/// Checks the disk of the data directory.
pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    let mut findings = vec![room(scene)];
    if let Ok(kind) = rustix::fs::statfs(scene.data.path()) {
        // A 32-bit number, whatever its type on this platform.
        let kind = kind.f_type as u64 & 0xffff_ffff;
        let known = OVER_NETWORK.iter().find(|known| known.0 == kind);
        findings.extend(known.map(|(_, name)| {
            let found = format!("the data directory is on {name}");
            let advice = "move it to a local disk: the database's log does not work over a network";
            Finding::error(NAME, found, advice)
        }));
    }
    let mut log = scene.database.as_os_str().to_owned();
    log.push("-wal");
    let bytes = fs::metadata(PathBuf::from(log)).map_or(0, |found| found.len());
    if bytes > LONG_LOG {
        findings.push(Finding::warning(
            NAME,
            format!("the database's write-ahead log has {} MiB", bytes >> 20),
            "end what has been reading the database for long, such as a backup that hangs",
        ));
    }
    findings
}

fn room(scene: &Scene<'_>) -> Finding {
    let disk = match rustix::fs::statvfs(scene.data.path()) {
        Ok(disk) => disk,
        Err(error) => {
            let found = format!("{}: {error}", scene.data.path().display());
            return Finding::error(NAME, found, "look at the disk");
        }
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    // Some file systems have no limit on the number of files.
    let files = (disk.f_files > 0).then_some(disk.f_favail);
    let database = fs::metadata(scene.database).map_or(0, |found| found.len());
    judge(free, files, scene.config.disk_reserve.0, database)
}

fn judge(free: u64, files: Option<u64>, reserve: u64, database: u64) -> Finding {
    let advice = "make room, or give the disk more: docs/OPERATIONS.md, The disk is full";
    let found = format!("{} MiB are free", free >> 20);
    if free < reserve {
        let found = format!("{found}, fewer than disk_reserve keeps: writes are refused");
        return Finding::error(NAME, found, advice);
    }
    if files.is_some_and(|files| files < 1000) {
        let found = format!("{found}, but it cannot hold a thousand more files");
        return Finding::error(NAME, found, advice);
    }
    if free < GIB || free < database {
        return Finding::warning(NAME, found, advice);
    }
    Finding::ok(NAME, found)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn room_is_judged_before_it_is_gone() {
        let mib = 1 << 20;
        for (free, files, database, expected) in [
            (100 * GIB, Some(1 << 20), GIB, Level::Ok),
            (100 * GIB, None, GIB, Level::Ok),
            (63 * mib, None, 0, Level::Error),
            (100 * GIB, Some(3), 0, Level::Error),
            (500 * mib, None, 0, Level::Warning),
            (2 * GIB, None, 3 * GIB, Level::Warning),
        ] {
            let found = judge(free, files, 64 * mib, database);
            assert_eq!(found.level, expected, "{}", found.found);
        }
    }
}
