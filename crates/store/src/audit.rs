//! The audit log: the user who made a change, what was changed, and when. Append only.

use spindle_domain::{RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// Times (UNIX seconds) after `since` at which the address of an account was changed, newest
/// first.
pub fn address_changes(db: &dyn Db, user_id: UserId, since: i64) -> Result<Vec<i64>, DbError> {
    // The type is spelled out: the index holds nothing else.
    db.query(
        sql!(
            "SELECT time FROM audit_log WHERE modified_user_id = ?1 \
             AND event_type = 'user_email_changed' AND time > ?2 ORDER BY time DESC"
        ),
        &params![user_id, since],
    )?
    .values()
}

/// Whether the owners have been notified that linkifiers are skipped.
pub fn has_skipped_linkifiers_report(db: &dyn Db, realm_id: RealmId) -> Result<bool, DbError> {
    // The type is spelled out: the index holds nothing else.
    let found = db.query(
        sql!("SELECT id FROM audit_log WHERE realm_id = ?1 AND event_type = 'linkifiers_left_out' LIMIT 1"),
        &params![realm_id],
    )?;
    Ok(!found.rows.is_empty())
}

/// Times (UNIX seconds) after `since` at which an account found out about a hidden name, newest first.
pub fn hidden_names_tried(db: &dyn Db, user_id: UserId, since: i64) -> Result<Vec<i64>, DbError> {
    // The type is spelled out: the index holds nothing else.
    db.query(
        sql!(
            "SELECT time FROM audit_log WHERE acting_user_id = ?1 \
             AND event_type = 'hidden_name_tried' AND time > ?2 ORDER BY time DESC"
        ),
        &params![user_id, since],
    )?
    .values()
}

/// Appends an entry. `acting_user_id` is none for the operator and the server itself; `data`
/// is a JSON object that holds no secret.
pub fn append(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    acting_user_id: Option<UserId>,
    modified_user_id: Option<UserId>,
    event_type: &'static str,
    data: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO audit_log (realm_id, time, acting_user_id, modified_user_id, event_type, data) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
        &params![realm_id, now, acting_user_id, modified_user_id, event_type, data],
    )?;
    Ok(())
}
