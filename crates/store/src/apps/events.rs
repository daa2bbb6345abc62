//! What has happened and its app has not been informed of yet.
//!
//! A row is written in the transaction of its cause and deleted in the transaction of the app's effects. Events of a scope
//! are passed on in their order.

use spindle_domain::{AppEventId, AppId, MessageId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// An event to be noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAppEvent<'a> {
    pub app_id: AppId,
    pub scope: &'a str,
    /// For the log; the body has it too.
    pub kind: &'a str,
    /// JSON.
    pub body: &'a str,
    /// The message that it is about; the event goes with it.
    pub message_id: Option<MessageId>,
    /// Who has caused it.
    pub person_id: Option<UserId>,
    /// UNIX seconds.
    pub created: i64,
}

/// Notes an event, unless `most` of the app are waiting, or `of_person` that the same person has caused; returns whether it
/// was noted.
pub fn insert(
    tx: &WriteTx<'_>,
    new: &NewAppEvent<'_>,
    most: i64,
    of_person: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO app_events (app_id, scope, kind, body, message_id, created, due, person_id) \
             SELECT ?1:bigint, ?2:text, ?3:text, ?4:text, ?5:bigint, ?6:bigint, ?6:bigint, ?7:bigint \
             WHERE (SELECT count(*) FROM app_events e WHERE e.app_id = ?1) < ?8 \
             AND (SELECT count(*) FROM app_events e WHERE e.person_id = ?7 AND e.app_id = ?1) < ?9 RETURNING 1"
        ),
        &params![
            new.app_id,
            new.scope,
            new.kind,
            new.body,
            new.message_id,
            new.created,
            new.person_id,
            most,
            of_person
        ],
    )?;
    Ok(!rows.rows.is_empty())
}

/// How many events of an app are waiting.
pub fn count(db: &dyn Db, app_id: AppId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM app_events WHERE app_id = ?1"),
        &params![app_id],
    )?
    .one_value()
}

row_struct! {
    /// An event that is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AppEventRow {
        pub id: AppEventId,
        pub app_id: AppId,
        pub scope: String,
        pub kind: String,
        /// JSON.
        pub body: String,
        /// UNIX seconds.
        pub created: i64,
        /// Attempts that have failed.
        pub attempts: i64,
    }
}

/// The event that is due longest at `now` (UNIX seconds) of an active app that is not running and has computed less than
/// `calls` times in this minute.
pub fn next(db: &dyn Db, now: i64, calls: i64) -> Result<Option<AppEventRow>, DbError> {
    db.query(
        sql!(
            "SELECT e.id, e.app_id, e.scope, e.kind, e.body, e.created, e.attempts \
             FROM apps a CROSS JOIN app_events e ON e.id = (SELECT f.id FROM app_events f \
                 WHERE f.app_id = a.id AND f.due <= ?1 AND NOT EXISTS (SELECT 1 FROM app_events b \
                     WHERE b.app_id = f.app_id AND b.scope = f.scope AND b.id < f.id) \
                 ORDER BY f.due, f.id LIMIT 1) \
             WHERE a.state = 'active' AND a.claimed_until <= ?1 AND (a.minute <> ?1 / 60 OR a.calls < ?2) \
             ORDER BY e.due, e.id LIMIT 1"
        ),
        &params![now, calls],
    )?
    .first()
}

/// Deletes an event whose attempts are at this number; false when it is gone or at another attempt.
pub fn delete(tx: &WriteTx<'_>, id: AppEventId, attempts: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM app_events WHERE id = ?1 AND attempts = ?2 RETURNING 1"),
        &params![id, attempts],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Counts a failed attempt at an event, which is due again at `due` (UNIX seconds); false when it is gone or at another
/// attempt.
pub fn postpone(
    tx: &WriteTx<'_>,
    id: AppEventId,
    attempts: i64,
    due: i64,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE app_events SET attempts = attempts + 1, due = ?3 WHERE id = ?1 AND attempts = ?2 RETURNING 1"
        ),
        &params![id, attempts, due],
    )?;
    Ok(!rows.rows.is_empty())
}
