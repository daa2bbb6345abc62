//! What apps keep between their runs: texts by key, for each scope.

use spindle_domain::{AppId, MessageId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Bytes that an entry counts in addition to its key and value, so that their number is bounded too.
pub const BYTES_OF_ENTRY: i64 = 64;

row_struct! {
    /// An entry of a scope.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ValueRow {
        pub key: String,
        pub value: String,
    }
}

row_struct! {
    /// An entry with its scope.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ScopedValue {
        pub scope: String,
        pub key: String,
        pub value: String,
    }
}

/// The entries of all scopes.
pub fn of_app(db: &dyn Db, app_id: AppId) -> Result<Vec<ScopedValue>, DbError> {
    db.query(
        sql!("SELECT scope, key, value FROM app_values WHERE app_id = ?1 ORDER BY scope, key"),
        &params![app_id],
    )?
    .all()
}

/// The entries of a scope, by key.
pub fn of_scope(db: &dyn Db, app_id: AppId, scope: &str) -> Result<Vec<ValueRow>, DbError> {
    db.query(
        sql!("SELECT key, value FROM app_values WHERE app_id = ?1 AND scope = ?2 ORDER BY key"),
        &params![app_id, scope],
    )?
    .all()
}

/// Stores an entry in place of the one with this key. `message_id`: the message whose scope it is, if it is one.
pub fn set(
    tx: &WriteTx<'_>,
    app_id: AppId,
    (scope, message_id): (&str, Option<MessageId>),
    key: &str,
    value: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO app_values (app_id, scope, key, value, message_id) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (app_id, scope, key) DO UPDATE SET value = excluded.value"
        ),
        &params![app_id, scope, key, value, message_id],
    )?;
    Ok(())
}

/// Forgets an entry.
pub fn delete(tx: &WriteTx<'_>, app_id: AppId, scope: &str, key: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM app_values WHERE app_id = ?1 AND scope = ?2 AND key = ?3"),
        &params![app_id, scope, key],
    )?;
    Ok(())
}

/// Bytes of the keys and values of a scope, without those of the entry with the key `but`.
pub fn bytes_of_scope(db: &dyn Db, app_id: AppId, scope: &str, but: &str) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT CAST(coalesce(sum(octet_length(key) + octet_length(value)), 0) AS BIGINT) FROM app_values \
             WHERE app_id = ?1 AND scope = ?2 AND key <> ?3"
        ),
        &params![app_id, scope, but],
    )?
    .one_value()
}

/// Bytes of all keys and values of an app, with [`BYTES_OF_ENTRY`] for each entry.
pub fn bytes_of_app(db: &dyn Db, app_id: AppId) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT CAST(coalesce(sum(octet_length(key) + octet_length(value)), 0) + count(*) * 64 AS BIGINT) \
             FROM app_values WHERE app_id = ?1"
        ),
        &params![app_id],
    )?
    .one_value()
}

/// How many entries an app has.
pub fn count(db: &dyn Db, app_id: AppId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM app_values WHERE app_id = ?1"),
        &params![app_id],
    )?
    .one_value()
}
