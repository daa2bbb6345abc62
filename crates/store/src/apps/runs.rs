//! Who computes for an app. One run of an app at a time: a claim has a number and ends by itself.

use spindle_domain::AppId;

use crate::{DbError, WriteTx, params, row_struct, statement};

row_struct! {
    /// A run that may begin.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RunRow {
        /// To be reported with the result.
        pub lease: i64,
        /// Of the app, when it began.
        pub version: i64,
    }
}

/// Claims an app until `until`, at `now` (UNIX seconds), and counts a computation; `None` while it is claimed.
pub fn claim(
    tx: &WriteTx<'_>,
    app_id: AppId,
    now: i64,
    until: i64,
) -> Result<Option<RunRow>, DbError> {
    tx.execute(
        statement!(
            "UPDATE apps SET lease = lease + 1, claimed_until = ?3, calls = iif(minute = ?2 / 60, calls + 1, 1), \
             minute = ?2 / 60 WHERE id = ?1 AND claimed_until <= ?2 AND state = 'active' RETURNING lease, version"
        ),
        &params![app_id, now, until],
    )?
    .first()
}

/// Ends a claim; false when another one has begun since.
pub fn release(tx: &WriteTx<'_>, app_id: AppId, lease: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE apps SET claimed_until = 0 WHERE id = ?1 AND lease = ?2 AND claimed_until > 0 RETURNING 1"
        ),
        &params![app_id, lease],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Whether the app is as it was when the run began, and active; if so, it changes now.
pub fn advance(tx: &WriteTx<'_>, app_id: AppId, version: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE apps SET version = version + 1 WHERE id = ?1 AND version = ?2 AND state = 'active' RETURNING 1"
        ),
        &params![app_id, version],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Counts a message that an app sends at `now` (UNIX seconds); false if it has sent `most` in this minute.
pub fn count_message(
    tx: &WriteTx<'_>,
    app_id: AppId,
    now: i64,
    most: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE apps SET sent = iif(sent_minute = ?2:bigint / 60, sent + 1, 1), \
             sent_minute = ?2:bigint / 60 \
             WHERE id = ?1 AND (sent_minute <> ?2:bigint / 60 OR sent < ?3) RETURNING 1"
        ),
        &params![app_id, now, most],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Prolongs a claim until `until` (UNIX seconds); false when it is over.
pub fn prolong(tx: &WriteTx<'_>, app_id: AppId, lease: i64, until: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE apps SET claimed_until = ?3 WHERE id = ?1 AND lease = ?2 AND claimed_until > 0 RETURNING 1"
        ),
        &params![app_id, lease, until],
    )?;
    Ok(!rows.rows.is_empty())
}
