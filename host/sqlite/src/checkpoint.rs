//! Checkpoints: copying the write-ahead log into the database file.
//!
//! They run on a connection of their own, so that no COMMIT waits for them. The log can be restarted
//! only after a complete checkpoint and while no reader uses it. For that the writer is paused for a
//! moment; if a reader prevents it, the next attempt comes later. A reader that stays for minutes (an
//! export, a backup) makes the log grow but delays no transaction.
//!
//! A passive checkpoint, for which neither reader nor writer waits, runs with low priority; the one for which the
//! writer is paused does not.

use super::options::DatabaseOptions;
use super::uncertain_commit;
use super::writer::Writer;
use rusqlite::Connection;
use spindle_system::low_priority::LONG;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Pages in the log from which it is checkpointed.
const CHECKPOINT_PAGES: u64 = 1_000;
/// Pages in the log from which it is truncated.
const TRUNCATE_PAGES: u64 = 16_000;
/// Delay between a commit and the check of the log's size.
const CHECK_DELAY: Duration = Duration::from_millis(100);
/// Longest wait for readers while the writer is paused.
const READER_TIMEOUT: Duration = Duration::from_millis(20);
/// Back-off after a failed truncation; doubled each time.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// A kind of checkpoint.
#[derive(Clone, Copy)]
enum Mode {
    /// Copies as much as it can while readers and the writer continue.
    Passive,
    /// Waits for readers, and restarts the log.
    Truncate,
}

/// Checkpoints the log of `writer` until the writer is dropped.
pub(super) fn spawn(writer: &Arc<Writer>) {
    let options = writer.options.clone();
    let commits = writer.committed.subscribe();
    tokio::spawn(keep_checkpointed(Arc::downgrade(writer), commits, options));
}

async fn keep_checkpointed(
    writer: Weak<Writer>,
    mut commits: watch::Receiver<u64>,
    options: DatabaseOptions,
) {
    let (mut not_before, mut backoff) = (Instant::now(), MIN_BACKOFF);
    // Opened once: to open a connection reads and parses the whole schema.
    let mut connection = None;
    while commits.changed().await.is_ok() {
        tokio::time::sleep(CHECK_DELAY).await;
        let Some(pages) = writer.upgrade().map(|writer| writer.log_pages()) else {
            return;
        };
        if pages < CHECKPOINT_PAGES {
            continue;
        }
        let Some(copied) = run(&mut connection, &options, Mode::Passive).await else {
            continue;
        };
        if !copied || pages < TRUNCATE_PAGES || Instant::now() < not_before {
            continue;
        }
        // More was written while the first one ran. The rest is copied while the writer is paused, and all other
        // writers wait.
        if run(&mut connection, &options, Mode::Passive)
            .await
            .is_none()
        {
            continue;
        }
        let turn = match writer.upgrade() {
            Some(writer) => writer.pause().await.ok(),
            None => return,
        };
        let is_truncated = run(&mut connection, &options, Mode::Truncate).await == Some(true);
        drop(turn);
        backoff = if is_truncated {
            MIN_BACKOFF
        } else {
            (backoff * 2).min(MAX_BACKOFF)
        };
        not_before = Instant::now() + backoff;
    }
}

/// Runs a checkpoint; returns whether it was complete, `None` when it failed.
async fn run(kept: &mut Option<Connection>, options: &DatabaseOptions, mode: Mode) -> Option<bool> {
    let (path, known) = (options.path.clone(), kept.take());
    let work = move || {
        let connection = match known {
            Some(connection) => connection,
            None => open(&path)?,
        };
        let is_done = checkpoint(&connection, mode)?;
        Ok((is_done, connection))
    };
    let task = match mode {
        Mode::Passive => LONG.run(work),
        Mode::Truncate => tokio::task::spawn_blocking(work),
    };
    match task.await {
        Ok(Ok((is_done, connection))) => {
            *kept = Some(connection);
            Some(is_done)
        }
        Ok(Err(error)) if uncertain_commit::is_failed_flush(&error) => {
            uncertain_commit::abort(&error)
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the checkpoint failed");
            None
        }
        Err(error) => {
            tracing::error!(%error, "the checkpoint task failed");
            None
        }
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(READER_TIMEOUT)?;
    Ok(connection)
}

fn checkpoint(connection: &Connection, mode: Mode) -> rusqlite::Result<bool> {
    let sql = match mode {
        Mode::Passive => "PRAGMA wal_checkpoint(PASSIVE)",
        Mode::Truncate => "PRAGMA wal_checkpoint(TRUNCATE)",
    };
    connection.query_row(sql, [], |row| {
        let (is_busy, pages, copied): (bool, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(!is_busy && pages == copied)
    })
}
