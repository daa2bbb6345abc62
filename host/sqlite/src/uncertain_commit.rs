//! Commits that report a failure but may take effect after a crash.
//!
//! SQLite writes a transaction's pages to the log, the last of them marked as the end of a commit.
//! Then it flushes the log and adds the pages to the log's index. When one of these two steps fails,
//! COMMIT reports an error and no reader sees the pages; yet they are complete in the log, and a
//! recovery after a crash would treat them as committed. Overwriting them with another transaction
//! prevents that. If that fails too, the result of a recovery is unknown: the process aborts before
//! it answers any client, and to clients this is a crash like any other.

use std::path::Path;
use std::time::Duration;

use rusqlite::ffi::{SQLITE_IOERR_FSYNC, SQLITE_IOERR_WRITE};
use rusqlite::{Connection, ErrorCode};

/// Longest wait for the lock of the file, which another process may hold.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a COMMIT that failed with `error` may have left all its pages in the log. After a failed
/// write, that page and the later ones are missing.
pub(super) fn may_be_recovered(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory)
    ) && error.sqlite_extended_error_code() != Some(SQLITE_IOERR_WRITE)
}

/// Whether a flush failed. The system's later reports about the same pages are then unreliable.
pub(super) fn is_failed_flush(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(SQLITE_IOERR_FSYNC)
}

/// Makes sure that a recovery cannot restore a failed commit.
pub(super) fn prevent_recovery(path: &Path) {
    if let Err(error) = overwrite(path) {
        abort(&error);
    }
}

/// Aborts the process: the next start recovers whatever the disk holds.
pub(super) fn abort(error: &rusqlite::Error) -> ! {
    tracing::error!(%error, "a flush failed and the content of the disk is unknown: the process aborts");
    std::process::abort()
}

/// Commits a transaction that changes nothing, over the pages of the failed one.
fn overwrite(path: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// In another process: closing the file in this one would release SQLite's locks on it.
    fn shell(words: &str, from: &Path, to: &Path) {
        let status = Command::new("sh")
            .args(["-c", words])
            .arg(from)
            .arg(to)
            .status();
        assert!(status.unwrap().success());
    }

    fn beside(path: &Path, end: &str) -> std::path::PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        name.into()
    }

    /// The number of rows that a recovery after a crash would find.
    fn rows_after_crash(path: &Path) -> i64 {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy.db");
        shell("cp \"$0\" \"$1\"", path, &copy);
        shell(
            "cp \"$0\" \"$1\"",
            &beside(path, "-wal"),
            &beside(&copy, "-wal"),
        );
        let connection = Connection::open(&copy).unwrap();
        let count = "SELECT count(*) FROM rows";
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_commit_that_was_not_entered_is_not_recovered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let (index, saved) = (beside(&path, "-shm"), folder.path().join("saved"));
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 7;
                 CREATE TABLE rows (content BLOB); INSERT INTO rows VALUES (x'00');",
            )
            .unwrap();
        // A commit whose pages are in the log but not in its index.
        shell("cp \"$0\" \"$1\"", &index, &saved);
        let insert = "INSERT INTO rows VALUES (zeroblob(50000))";
        connection.execute(insert, []).unwrap();
        shell(
            "dd if=\"$0\" of=\"$1\" conv=notrunc status=none",
            &saved,
            &index,
        );
        assert_eq!(
            rows_after_crash(&path),
            2,
            "the failed commit would be recovered"
        );
        prevent_recovery(&path);
        assert_eq!(rows_after_crash(&path), 1);
        let other = Connection::open(&path).unwrap();
        let count: i64 = other
            .query_row("SELECT count(*) FROM rows", [], |row| row.get(0))
            .unwrap();
        let version: i64 = other
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!((count, version), (1, 7));
    }

    #[test]
    fn only_failures_after_the_pages_were_written_may_be_recovered() {
        let error = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        // Flush, index of the log, memory; then: full, busy, a page that cannot be written.
        for (code, may_have) in [
            (1034, true),
            (4874, true),
            (7, true),
            (13, false),
            (5, false),
            (778, false),
        ] {
            assert_eq!(may_be_recovered(&error(code)), may_have, "{code}");
        }
        assert!(is_failed_flush(&error(1034)) && !is_failed_flush(&error(778)));
    }
}
