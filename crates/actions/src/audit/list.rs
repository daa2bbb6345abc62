//! Entries of the audit log, page by page (docs/protocol/organization.md#get_audit_log).

use serde_json::{Value, json};
use spindle_domain::audit::Acting;
use spindle_domain::limits::MAX_AUDIT_PAGE;
use spindle_domain::{AuditEntryId, RealmId};
use spindle_store::audit::{self, AuditFilter, AuditRow};
use spindle_store::{Connection, ReadTx};

use crate::ActionError;

/// A page of entries, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditPage {
    pub entries: Vec<Value>,
    /// Whether no older entry matches.
    pub found_oldest: bool,
}

/// Entries with an id less than `before`, at most `limit` of them.
///
/// # Errors
/// [`ActionError::BadRequest`] for a limit that is too large or too small.
pub fn list_audit_log(
    db: &dyn Connection,
    realm_id: RealmId,
    filter: &AuditFilter,
    before: Option<AuditEntryId>,
    limit: i64,
) -> Result<AuditPage, ActionError> {
    if !(1..=MAX_AUDIT_PAGE).contains(&limit) {
        return Err(ActionError::BadRequest(format!(
            "limit must be from 1 to {MAX_AUDIT_PAGE}"
        )));
    }
    // A rare kind is looked for in the whole log.
    let tx = ReadTx::begin_large(db)?;
    let before = before.unwrap_or(AuditEntryId(i64::MAX));
    let mut rows = audit::list_before(&tx, realm_id, filter, before, limit + 1)?;
    let found_oldest = rows.len() as i64 <= limit;
    rows.truncate(limit as usize);
    let entries = rows.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(AuditPage {
        entries,
        found_oldest,
    })
}

fn entry(row: &AuditRow) -> Result<Value, ActionError> {
    let mut data: Value = serde_json::from_str(&row.data)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    // Owners may not see the topics of a private channel.
    if let Some(fields) = data.as_object_mut() {
        fields.remove("topic");
    }
    let acting = Acting::of(row.acting_user_id.is_some(), &row.event_type);
    Ok(json!({
        "id": row.id,
        "time": row.time,
        "acting": acting.name(),
        "acting_user_id": row.acting_user_id,
        "modified_user_id": row.modified_user_id,
        "event_type": row.event_type,
        "data": data,
    }))
}
