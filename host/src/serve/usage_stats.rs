//! Metrics that are read from the database: stored objects and background work that is left.
//!
//! Read when metrics are scraped, at most once a minute, on a read-only connection of its own. Must
//! not delay a request.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use spindle_domain::RealmId;
use spindle_store::DbError;
use spindle_store::table_counts::{self, DatabaseState, TableCounts};

use crate::backup;
use spindle_config::data_dir::DataDir;
use spindle_database::{Location, conflicts_of};
use spindle_ops::Recorder;
use spindle_queues::EventService;

/// Shortest time between two reads of the database.
const EVERY: Duration = Duration::from_secs(60);

/// Registers metrics of the database's content, and of the last backup where `spindle admin backup` makes it.
pub(super) fn watch(recorder: &Recorder, database: Location, data: DataDir, events: &EventService) {
    let events = events.clone();
    if database.file().is_some() {
        recorder.watch(move || {
            let last = backup::noted(&data).map_or(0, |note| note.created);
            metrics::gauge!("spindle_backup_last_success_seconds").set(last as f64);
        });
    } else {
        // Conflicts of this program's own work, which components are not asked for.
        conflicts_of("server").increment(0);
    }
    let last_read: Mutex<Option<Instant>> = Mutex::default();
    recorder.watch(move || {
        let mut last_read = last_read.lock().unwrap_or_else(PoisonError::into_inner);
        if last_read.is_some_and(|last_read| last_read.elapsed() < EVERY) {
            return;
        }
        match read(&database) {
            Ok((counts, state)) => {
                show(&counts);
                // The event service may have read further since then.
                let end = state.position.saturating_add(1);
                let behind = end.saturating_sub(events.position());
                metrics::gauge!("spindle_event_lag_rows").set(behind.max(0) as f64);
                if database.orders_log() {
                    metrics::gauge!("spindle_event_outbox_rows").set(state.unordered as f64);
                    metrics::gauge!("spindle_database_bytes").set(state.bytes as f64);
                }
            }
            Err(error) => tracing::warn!(%error, "the database cannot be read for metrics"),
        }
        *last_read = Some(Instant::now());
    });
}

fn read(database: &Location) -> Result<(TableCounts, DatabaseState), DbError> {
    let db = database.connect_to_look()?;
    Ok((
        table_counts::take(&*db, RealmId::ONLY)?,
        table_counts::state(&*db)?,
    ))
}

fn show(counts: &TableCounts) {
    for (kind, number) in [("people", counts.people), ("bots", counts.bots)] {
        metrics::gauge!("spindle_accounts", "kind" => kind).set(number as f64);
    }
    let messages = u64::try_from(counts.messages).unwrap_or(0);
    metrics::counter!("spindle_messages_total").absolute(messages);
    let quota = counts
        .quota_mib
        .map_or(f64::INFINITY, |mib| (mib as f64) * f64::from(1_u32 << 20));
    for (name, value) in [
        ("spindle_files", counts.files as f64),
        ("spindle_files_bytes", counts.file_bytes as f64),
        ("spindle_files_quota_bytes", quota),
        ("spindle_push_calls_waiting", counts.push_calls as f64),
        ("spindle_bot_calls_waiting", counts.bot_calls as f64),
    ] {
        metrics::gauge!(name).set(value);
    }
}
