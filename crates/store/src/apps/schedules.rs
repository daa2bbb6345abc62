//! When apps want to be woken: one time for each name in a scope.

use spindle_domain::{AppId, MessageId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Sets the time of a name, in place of an earlier one. `message_id`: the message whose scope it is, if it is one.
pub fn set(
    tx: &WriteTx<'_>,
    app_id: AppId,
    (scope, message_id): (&str, Option<MessageId>),
    name: &str,
    due: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO app_schedules (app_id, scope, name, due, message_id) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (app_id, scope, name) DO UPDATE SET due = excluded.due"
        ),
        &params![app_id, scope, name, due, message_id],
    )?;
    Ok(())
}

/// Forgets the time of a name.
pub fn delete(tx: &WriteTx<'_>, app_id: AppId, scope: &str, name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM app_schedules WHERE app_id = ?1 AND scope = ?2 AND name = ?3"),
        &params![app_id, scope, name],
    )?;
    Ok(())
}

/// Whether a name has a time.
pub fn exists(db: &dyn Db, app_id: AppId, scope: &str, name: &str) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM app_schedules WHERE app_id = ?1 AND scope = ?2 AND name = ?3)"
        ),
        &params![app_id, scope, name],
    )?
    .one_value()
}

/// How many times an app has set.
pub fn count(db: &dyn Db, app_id: AppId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM app_schedules WHERE app_id = ?1"),
        &params![app_id],
    )?
    .one_value()
}

row_struct! {
    /// A time that was set.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ScopedTime {
        pub scope: String,
        pub name: String,
        /// UNIX seconds.
        pub due: i64,
    }
}

/// The times of all scopes.
pub fn of_app(db: &dyn Db, app_id: AppId) -> Result<Vec<ScopedTime>, DbError> {
    db.query(
        sql!("SELECT scope, name, due FROM app_schedules WHERE app_id = ?1 ORDER BY scope, name"),
        &params![app_id],
    )?
    .all()
}

row_struct! {
    /// A time that has come.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ScheduleRow {
        pub app_id: AppId,
        pub scope: String,
        pub name: String,
        pub message_id: Option<MessageId>,
    }
}

/// The times of active apps that have come at `now` (UNIX seconds), the earliest first.
pub fn due(db: &dyn Db, now: i64, limit: i64) -> Result<Vec<ScheduleRow>, DbError> {
    db.query(
        sql!(
            "SELECT s.app_id, s.scope, s.name, s.message_id FROM app_schedules s JOIN apps a ON a.id = s.app_id \
             WHERE s.due <= ?1 AND a.state = 'active' ORDER BY s.due, s.app_id, s.scope, s.name LIMIT ?2"
        ),
        &params![now, limit],
    )?
    .all()
}
