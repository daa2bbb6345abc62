//! Event queues: rows with their owner, their registration and their first position in the log.
//!
//! What a queue holds is derived from the log by the event-queue service, which also keeps
//! the acknowledged position; nothing of that is here.

use spindle_domain::{RealmId, UserId};

use crate::event_log::LogPoint;
use crate::{Db, DbError, WriteTx, among, either, params, sql, statement};

/// A queue to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewQueue<'a> {
    /// UUID text.
    pub id: &'a str,
    pub realm_id: RealmId,
    pub user_id: UserId,
    /// The position of the snapshot in the log.
    pub base: &'a LogPoint,
    /// UNIX seconds.
    pub created: i64,
    /// Seconds without a poll after which the queue ends.
    pub idle_timeout_secs: i64,
    /// JSON, see the crate of the events.
    pub registration: &'a str,
    /// The version of the rules by which events are accepted; a program with others does not serve the queue.
    pub accept_version: i64,
}

/// Creates a queue and returns its number in the order of creation; `None` when the account is no longer active, or its
/// guest role has changed since the snapshot was read.
pub fn insert(
    tx: &WriteTx<'_>,
    queue: &NewQueue<'_>,
    is_guest: bool,
) -> Result<Option<i64>, DbError> {
    tx.execute(
        statement!("INSERT INTO event_queues (id, realm_id, user_id, base_seq, created, idle_timeout_secs, \
         registration, base_unordered, accept_version) SELECT ?1:text, ?2, id, ?4, ?5, ?6, ?7, ?9, ?10 FROM users \
         WHERE id = ?3 AND is_active = 1 AND (role = 600) = (?8:bigint = 1) RETURNING number"),
        &params![
            queue.id,
            queue.realm_id,
            queue.user_id,
            queue.base.position,
            queue.created,
            queue.idle_timeout_secs,
            queue.registration,
            is_guest,
            queue.base.unordered.as_str(),
            queue.accept_version,
        ],
    )?
    .value()
}

/// Queues of the user whose clients show answers of apps that only they see. On PostgreSQL only those that a client has
/// polled on any node in the last `recent_ms` of the running time; elsewhere the event-queue service alone knows that.
pub fn showing_app_answers(
    db: &dyn Db,
    user_id: UserId,
    recent_ms: i64,
) -> Result<Vec<String>, DbError> {
    let sql = sql!(either!(
        "SELECT id FROM event_queues WHERE user_id = ?1 AND registration LIKE '%\"app_answers\":true%' AND ?2 > 0",
        "SELECT id FROM event_queues JOIN queue_positions ON queue_id = id \
         WHERE user_id = ?1 AND registration LIKE '%\"app_answers\":true%' AND ended = 0 \
         AND active_ms + ?2 >= coalesce((SELECT value FROM queue_service WHERE name = 'running_ms'), 0)"
    ));
    db.query(sql, &params![user_id, recent_ms])?.values()
}

/// Notes that the user was active at `now` (UNIX seconds). Once a day is enough, so most
/// calls write nothing, and lock nothing for which others of the user would wait.
pub fn record_activity(tx: &WriteTx<'_>, user_id: UserId, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_activity (user_id, last_active) SELECT ?1:bigint, ?2:bigint \
         WHERE NOT EXISTS (SELECT 1 FROM user_activity a WHERE a.user_id = ?1 AND a.last_active >= ?2 - 86400) \
         ON CONFLICT (user_id) DO UPDATE SET last_active = excluded.last_active"
        ),
        &params![user_id, now],
    )?;
    Ok(())
}

/// As [`record_activity`], for the owners of the queues in a JSON list of ids.
pub fn record_activity_of_owners(tx: &WriteTx<'_>, ids: &str, now: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_activity (user_id, last_active) SELECT DISTINCT user_id, ?2:bigint \
         FROM event_queues WHERE id IN (SELECT value FROM json_texts(?1)) \
         ON CONFLICT (user_id) DO UPDATE SET last_active = excluded.last_active"
        ),
        &params![ids, now],
    )?;
    Ok(())
}

/// Deletes a queue if it is the user's; returns whether it was there.
pub fn delete(tx: &WriteTx<'_>, id: &str, user_id: UserId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM event_queues WHERE id = ?1 AND user_id = ?2 RETURNING 1"),
        &params![id, user_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Deletes the oldest queues of a user, or of all bots of the owner, down to `keep`; returns how many were deleted.
pub fn delete_oldest(tx: &WriteTx<'_>, user_id: UserId, keep: i64) -> Result<usize, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM event_queues WHERE number ",
            among!(concat!(
                "SELECT number FROM event_queues WHERE user_id IN ",
                crate::quotas::counted_accounts!(),
                " ORDER BY number DESC LIMIT -1 OFFSET ?2"
            )),
            " RETURNING 1"
        ),
        &params![user_id, keep],
    )?;
    Ok(rows.rows.len())
}

/// Deletes the queues of one user: theirs end when the account does.
pub fn delete_of_user(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM event_queues WHERE user_id = ?1"),
        &params![user_id],
    )?;
    Ok(())
}

/// Deletes the queues of the users in a JSON list of ids; returns the user of each.
pub fn delete_of_users(tx: &WriteTx<'_>, user_ids: &str) -> Result<Vec<UserId>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM event_queues WHERE user_id IN (SELECT value FROM json_ids(?1)) RETURNING user_id"
        ),
        &params![user_ids],
    )?
    .values()
}

/// Ends the queues of all guests; returns the guest of each.
pub fn delete_of_guests(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<Vec<UserId>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM event_queues WHERE user_id IN \
         (SELECT id FROM users WHERE realm_id = ?1 AND role = 600) RETURNING user_id"
        ),
        &params![realm_id],
    )?
    .values()
}

/// Deletes every queue: after a restore, it is not known what clients have received since.
pub fn delete_all(tx: &WriteTx<'_>) -> Result<(), DbError> {
    tx.execute(statement!("DELETE FROM event_queues"), &[])
        .map(|_| ())
}

/// Deletes the queues in a JSON list of ids; returns how many there were.
pub fn delete_listed(tx: &WriteTx<'_>, ids: &str) -> Result<i64, DbError> {
    let rows = tx.execute(
        statement!(
            "DELETE FROM event_queues WHERE id IN (SELECT value FROM json_texts(?1)) RETURNING 1"
        ),
        &params![ids],
    )?;
    Ok(i64::try_from(rows.rows.len()).unwrap_or(i64::MAX))
}
