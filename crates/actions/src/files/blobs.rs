//! Blobs, and the list of blobs to delete.

use serde_json::json;
use spindle_store::{Connection, DbError, SilentReason, WriteTx, blob_deletions};

use crate::{ActionError, change};

/// Seconds after which an announced blob that was not made use of is deleted.
pub(super) const GRACE: i64 = 3600;

/// Notes `keys` before their blobs are stored, so that none is left behind when the request
/// ends in the middle. `now` is in UNIX seconds.
pub fn announce_blobs(db: &dyn Connection, now: i64, keys: &[&str]) -> Result<(), ActionError> {
    change::silently(db, SilentReason::Files, |tx| {
        blob_deletions::add(tx, &json!(keys).to_string(), now + GRACE)?;
        Ok(())
    })
}

/// Makes use of announced blobs: they stay.
pub(crate) fn take(tx: &WriteTx<'_>, keys: &[&str]) -> Result<(), DbError> {
    blob_deletions::remove(tx, &json!(keys).to_string())
}

/// Gives blobs up: the next cleaning deletes them.
pub(crate) fn release(tx: &WriteTx<'_>, keys: &[&str], now: i64) -> Result<(), DbError> {
    blob_deletions::add(tx, &json!(keys).to_string(), now)
}
