//! The audit log: who changed what, and when. Append only.

use crate::{Db, DbError, params};

/// Appends an entry. `acting_user_id` is none for the operator and the server itself; `data`
/// is a JSON object that holds no secret.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn append(
    db: &dyn Db,
    realm_id: i64,
    now: i64,
    acting_user_id: Option<i64>,
    modified_user_id: Option<i64>,
    event_type: &'static str,
    data: &str,
) -> Result<(), DbError> {
    db.execute(
        "INSERT INTO audit_log (realm_id, time, acting_user_id, modified_user_id, event_type, data) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &params![realm_id, now, acting_user_id, modified_user_id, event_type, data],
    )?;
    Ok(())
}
