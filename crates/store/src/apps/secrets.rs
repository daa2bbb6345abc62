//! What an app sends to other services to prove itself. Only the host reads values, to make the requests of the app.

use spindle_domain::AppId;

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Stores a secret in place of the one with this name.
pub fn set(tx: &WriteTx<'_>, app_id: AppId, name: &str, value: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO app_secrets (app_id, name, value) VALUES (?1, ?2, ?3) \
             ON CONFLICT (app_id, name) DO UPDATE SET value = excluded.value"
        ),
        &params![app_id, name, value],
    )?;
    Ok(())
}

/// Removes a secret.
pub fn delete(tx: &WriteTx<'_>, app_id: AppId, name: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM app_secrets WHERE app_id = ?1 AND name = ?2"),
        &params![app_id, name],
    )?;
    Ok(())
}

/// Names of the secrets that are set, in their order.
pub fn names(db: &dyn Db, app_id: AppId) -> Result<Vec<String>, DbError> {
    db.query(
        sql!("SELECT name FROM app_secrets WHERE app_id = ?1 ORDER BY name"),
        &params![app_id],
    )?
    .values()
}

/// A secret.
pub fn value(db: &dyn Db, app_id: AppId, name: &str) -> Result<Option<String>, DbError> {
    db.query(
        sql!("SELECT value FROM app_secrets WHERE app_id = ?1 AND name = ?2"),
        &params![app_id, name],
    )?
    .value()
}
