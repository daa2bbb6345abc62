//! Commits that report a failure and may have happened all the same.
//!
//! SQLite writes a transaction's pages to the log, the last of them marked as the end of a commit.
//! Then it flushes the log and enters the pages in its index. When one of these two steps fails, COMMIT
//! reports an error and nobody reads the pages; yet they lie in the log, whole, and a recovery after
//! a crash would take them for committed. Another transaction that is written over them ends that.
//! Where it fails too, nobody can say what a recovery will find. Then the process ends before it has
//! told anybody anything, and to clients this is a crash like others.

use std::path::Path;
use std::time::Duration;

use rusqlite::ffi::{SQLITE_IOERR_FSYNC, SQLITE_IOERR_WRITE};
use rusqlite::{Connection, ErrorCode};

/// Longest wait for the lock of the file; another process may hold it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the pages of a COMMIT that has failed like this may lie in the log. A page that could not
/// be written is not there, nor are those after it.
pub(super) fn may_have_happened(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory)
    ) && error.sqlite_extended_error_code() != Some(SQLITE_IOERR_WRITE)
}

/// Whether the system could not write down what it had taken; what it says afterwards of the same
/// pages means nothing.
pub(super) fn is_failed_flush(error: &rusqlite::Error) -> bool {
    error.sqlite_extended_error_code() == Some(SQLITE_IOERR_FSYNC)
}

/// Makes sure that a commit that has failed has not happened.
pub(super) fn undo(path: &Path) {
    if let Err(error) = write_over(path) {
        stop(&error);
    }
}

/// Ends the process: what is on the disk is to be found out by the next start.
pub(super) fn stop(error: &rusqlite::Error) -> ! {
    tracing::error!(%error, "a flush has failed, and nobody knows what is on the disk: the process ends");
    std::process::abort()
}

/// Commits a transaction that changes nothing.
fn write_over(path: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// In another process: one that opens and closes a file loses SQLite's locks on it.
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

    /// Rows after a crash now.
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
        // A commit whose pages are in the log, and which the index does not have.
        shell("cp \"$0\" \"$1\"", &index, &saved);
        let insert = "INSERT INTO rows VALUES (zeroblob(50000))";
        connection.execute(insert, []).unwrap();
        shell(
            "dd if=\"$0\" of=\"$1\" conv=notrunc status=none",
            &saved,
            &index,
        );
        assert_eq!(rows_after_crash(&path), 2, "this is what has to be undone");
        undo(&path);
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
    fn only_what_fails_after_the_pages_may_have_happened() {
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
            assert_eq!(may_have_happened(&error(code)), may_have, "{code}");
        }
        assert!(is_failed_flush(&error(1034)) && !is_failed_flush(&error(778)));
    }
}
