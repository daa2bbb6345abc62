//! Removes event queues that are over and log rows that no queue needs.
//!
//! The event-queue service knows when a queue was last polled and how far the slowest has
//! read; it names both. Rows of the last ten minutes stay whatever it says, since a queue
//! that is being registered may start there.

use serde_json::json;
use spindle_store::{Connection, Freeing, SilentReason, event_log, jobs, queues};

use crate::{ActionError, change};

/// Name of the job that prunes the log.
const PRUNE_JOB: &str = "prune_event_log";
/// Seconds between two prunings.
const PRUNE_INTERVAL: i64 = 60;
/// Seconds for which every row of the log stays.
const KEPT: i64 = 600;
/// Rows that one transaction removes at most, so that writers are not held up.
const PRUNED_AT_ONCE: i64 = 20_000;

/// Deletes the queues in `ended` and, once a minute, rows of the log up to `prune_below`
/// (exclusive) that are old enough at `now` (UNIX seconds). Returns how many queues went.
pub fn collect_queues(
    db: &dyn Connection,
    now: i64,
    ended: &[String],
    prune_below: i64,
) -> Result<i64, ActionError> {
    let db = &Freeing(db);
    change::silently(db, SilentReason::Queues, |tx| {
        let ended = json!(ended).to_string();
        queues::record_activity_of_owners(tx, &ended, now)?;
        let deleted = queues::delete_listed(tx, &ended)?;
        if jobs::claim(tx, PRUNE_JOB, now, PRUNE_INTERVAL)? {
            let pruned = event_log::prune(tx, prune_below - 1, now, KEPT, PRUNED_AT_ONCE)?;
            jobs::finish(tx, PRUNE_JOB, &format!("{pruned} rows removed"))?;
        }
        Ok(deleted)
    })
}
