//! Carrying the write-ahead log over into the database file.
//!
//! Done beside the writer, on a connection of its own, so that no COMMIT waits
//! for it. Only when readers have kept the log from starting anew for long is
//! the writer made to wait, once, so that the log cannot grow without end.

use super::options::DatabaseOptions;
use super::writer::Writer;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;

/// Pages in the log from which they are carried over.
const SOME: u64 = 1_000;
/// Pages in the log from which the writer is made to wait.
const MUCH: u64 = 16_000;
/// Longest pause between a commit and the look at the log.
const PAUSE: Duration = Duration::from_millis(100);

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
    while commits.changed().await.is_ok() {
        tokio::time::sleep(PAUSE).await;
        let Some(pages) = writer.upgrade().map(|writer| writer.log_pages()) else {
            return;
        };
        if pages < SOME {
            continue;
        }
        let turn = match writer.upgrade() {
            Some(writer) if pages > MUCH => writer.pause().await.ok(),
            Some(_) => None,
            None => return,
        };
        let (path, alone) = (options.path.clone(), turn.is_some());
        let task = tokio::task::spawn_blocking(move || checkpoint(&path, alone));
        match task.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "cannot carry the log over"),
            Err(error) => tracing::error!(%error, "carrying the log over failed"),
        }
    }
}

fn checkpoint(path: &Path, alone: bool) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(1))?;
    let mode = if alone { "TRUNCATE" } else { "PASSIVE" };
    connection.pragma(None, "wal_checkpoint", mode, |_| Ok(()))
}
