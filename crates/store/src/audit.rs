//! The audit log: who changed what, and when. Append only.

use crate::{Db, DbError, WriteTx, params, sql};

/// Times (UNIX seconds) after `since` at which the address of an account was changed, newest
/// first.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn address_changes(db: &dyn Db, user_id: i64, since: i64) -> Result<Vec<i64>, DbError> {
    // The type is spelled out: the index holds nothing else.
    db.query(
        sql!(
            "SELECT time FROM audit_log WHERE modified_user_id = ?1 \
             AND event_type = 'user_email_changed' AND time > ?2 ORDER BY time DESC"
        ),
        &params![user_id, since],
    )?
    .read_all(|row| row.integer())
}

/// Appends an entry. `acting_user_id` is none for the operator and the server itself; `data`
/// is a JSON object that holds no secret.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn append(
    tx: &WriteTx<'_>,
    realm_id: i64,
    now: i64,
    acting_user_id: Option<i64>,
    modified_user_id: Option<i64>,
    event_type: &'static str,
    data: &str,
) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO audit_log (realm_id, time, acting_user_id, modified_user_id, event_type, data) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &params![realm_id, now, acting_user_id, modified_user_id, event_type, data],
    )?;
    Ok(())
}
