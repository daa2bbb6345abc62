//! Requests that apps want to have made.
//!
//! A row is written with the effects of the app, claimed for a time by the worker that makes the request, and deleted in
//! the transaction that notes the answer as an event. So a request is made at least once and answered once.

use spindle_domain::{AppFetchId, AppId};

use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

/// Notes a request that is due at `now` (UNIX seconds). `name` is the app's own id of it, `body` JSON.
pub fn insert(
    tx: &WriteTx<'_>,
    app_id: AppId,
    scope: &str,
    name: &str,
    body: &str,
    now: i64,
) -> Result<AppFetchId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO app_fetches (app_id, scope, name, body, created, due) VALUES (?1, ?2, ?3, ?4, ?5, ?5) \
             RETURNING id"
        ),
        &params![app_id, scope, name, body, now],
    )?
    .one_value()
}

/// How many requests of an app are waiting.
pub fn count(db: &dyn Db, app_id: AppId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM app_fetches WHERE app_id = ?1"),
        &params![app_id],
    )?
    .one_value()
}

/// How many requests of a scope are waiting.
pub fn count_of_scope(db: &dyn Db, app_id: AppId, scope: &str) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM app_fetches WHERE app_id = ?1 AND scope = ?2"),
        &params![app_id, scope],
    )?
    .one_value()
}

row_struct! {
    /// A request that is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FetchRow {
        pub id: AppFetchId,
        pub app_id: AppId,
        pub scope: String,
        /// The app's own id of it.
        pub name: String,
        /// JSON.
        pub body: String,
        /// Attempts so far, this one included.
        pub attempts: i64,
    }
}

/// Whether any request of an active app is due at `now` (UNIX seconds).
pub fn is_any_due(db: &dyn Db, now: i64) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM app_fetches f JOIN apps a ON a.id = f.app_id \
             WHERE f.due <= ?1 AND f.claimed_until <= ?1 AND a.state = 'active')"
        ),
        &params![now],
    )?
    .one_value()
}

/// Claims requests that are due at `now`, the oldest of each app first; no other worker gets them before `until` (UNIX
/// seconds).
pub fn claim(
    tx: &WriteTx<'_>,
    now: i64,
    until: i64,
    limit: i64,
    per_app: i64,
) -> Result<Vec<FetchRow>, DbError> {
    tx.execute(
        statement!(
            "UPDATE app_fetches SET attempts = attempts + 1, claimed_until = ?2 WHERE id ",
            among!(
                "SELECT id FROM (SELECT f.id, f.due, f.claimed_until, row_number() OVER (PARTITION BY f.app_id \
                     ORDER BY f.claimed_until > ?1 DESC, f.due, f.id) AS place \
                     FROM app_fetches f JOIN apps a ON a.id = f.app_id WHERE f.due <= ?1 AND a.state = 'active') AS waiting \
                 WHERE place <= ?4 AND claimed_until <= ?1 ORDER BY place, due, id LIMIT ?3"
            ),
            " RETURNING id, app_id, scope, name, body, attempts"
        ),
        &params![now, until, limit, per_app],
    )?
    .all()
}

/// A request that is at this attempt; `None` when it was answered or claimed again.
pub fn by_attempt(db: &dyn Db, id: AppFetchId, attempt: i64) -> Result<Option<FetchRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, app_id, scope, name, body, attempts FROM app_fetches WHERE id = ?1 AND attempts = ?2"
        ),
        &params![id, attempt],
    )?
    .first()
}

/// Lets a request be made again at `due` (UNIX seconds).
pub fn postpone(tx: &WriteTx<'_>, id: AppFetchId, due: i64) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE app_fetches SET due = ?2, claimed_until = 0 WHERE id = ?1"),
        &params![id, due],
    )?;
    Ok(())
}

/// The request is over.
pub fn delete(tx: &WriteTx<'_>, id: AppFetchId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM app_fetches WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}
