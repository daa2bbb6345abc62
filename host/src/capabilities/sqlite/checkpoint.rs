//! Carrying the write-ahead log over into the database file.
//!
//! Done beside the writer, on a connection of its own, so that no COMMIT waits for it. Only the log
//! that has been carried over whole can start anew, and only when nobody reads it: the writer then
//! waits for a moment, and is not asked again for a while if a reader came first. A reader that
//! stays for minutes (an export, a backup) makes the log grow, and nobody wait.

use super::options::DatabaseOptions;
use super::uncertain;
use super::writer::Writer;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Pages in the log from which they are carried over.
const SOME: u64 = 1_000;
/// Pages in the log from which it is to start anew.
const MUCH: u64 = 16_000;
/// Longest pause between a commit and the look at the log.
const PAUSE: Duration = Duration::from_millis(100);
/// Longest time that the writer is kept waiting for readers.
const PATIENCE: Duration = Duration::from_millis(20);
/// Until the writer is kept waiting again, after it was in vain: twice as long each time.
const LATER: Duration = Duration::from_secs(1);
const MUCH_LATER: Duration = Duration::from_secs(60);

/// Looks after the log of `writer` until that is dropped.
pub(super) fn spawn(writer: &Arc<Writer>) {
    let options = writer.options.clone();
    let commits = writer.committed.subscribe();
    tokio::spawn(look_after(Arc::downgrade(writer), commits, options));
}

async fn look_after(
    writer: Weak<Writer>,
    mut commits: watch::Receiver<u64>,
    options: DatabaseOptions,
) {
    let (mut not_before, mut pause) = (Instant::now(), LATER);
    while commits.changed().await.is_ok() {
        tokio::time::sleep(PAUSE).await;
        let Some(pages) = writer.upgrade().map(|writer| writer.log_pages()) else {
            return;
        };
        if pages < SOME {
            continue;
        }
        let Some(carried) = run(&options, "PASSIVE").await else {
            continue;
        };
        if !carried || pages < MUCH || Instant::now() < not_before {
            continue;
        }
        let turn = match writer.upgrade() {
            Some(writer) => writer.pause().await.ok(),
            None => return,
        };
        let is_anew = run(&options, "TRUNCATE").await == Some(true);
        drop(turn);
        pause = if is_anew {
            LATER
        } else {
            (pause * 2).min(MUCH_LATER)
        };
        not_before = Instant::now() + pause;
    }
}

/// Carries the log over; says whether nothing of it is left. None when that failed.
async fn run(options: &DatabaseOptions, mode: &'static str) -> Option<bool> {
    let path = options.path.clone();
    let task = tokio::task::spawn_blocking(move || checkpoint(&path, mode));
    match task.await {
        Ok(Ok(is_done)) => Some(is_done),
        Ok(Err(error)) if uncertain::is_failed_flush(&error) => uncertain::stop(&error),
        Ok(Err(error)) => {
            tracing::warn!(%error, "cannot carry the log over");
            None
        }
        Err(error) => {
            tracing::error!(%error, "carrying the log over failed");
            None
        }
    }
}

fn checkpoint(path: &Path, mode: &str) -> rusqlite::Result<bool> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    connection.query_row(&sql, [], |row| {
        let (is_busy, pages, carried): (bool, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(!is_busy && pages == carried)
    })
}
