//! Mails to people who were invited.

use serde_json::{Value, json};
use spindle_domain::InvitationId;
use spindle_store::invitations::InvitationRow;
use spindle_store::{Db, invitations, users};

use super::content::{Content, Origin, duration, values, without_addresses};
use crate::ActionError;
use crate::invitations::{REMINDER_SECS, thread_of};

/// The mail with the link; none when the invitation is not open any more.
pub(super) fn invitation(
    db: &dyn Db,
    origin: &Origin<'_>,
    detail: &Value,
) -> Result<Option<Content>, ActionError> {
    match open(db, origin, detail)? {
        Some(row) => content(db, origin, &row),
        None => Ok(None),
    }
}

/// The reminder before it ends; none when it has ended, or ends later than it did when the reminder was written.
pub(super) fn reminder(
    db: &dyn Db,
    origin: &Origin<'_>,
    detail: &Value,
) -> Result<Option<Content>, ActionError> {
    let is_near = |row: &InvitationRow| {
        row.expires_at
            .is_some_and(|end| end <= origin.now + REMINDER_SECS)
    };
    match open(db, origin, detail)?.filter(is_near) {
        Some(row) => content(db, origin, &row),
        None => Ok(None),
    }
}

fn open(
    db: &dyn Db,
    origin: &Origin<'_>,
    detail: &Value,
) -> Result<Option<InvitationRow>, ActionError> {
    let id = detail.get("invitation_id").and_then(Value::as_i64);
    let id = InvitationId(id.unwrap_or_default());
    Ok(invitations::open_by_id(
        db,
        origin.realm_id,
        origin.now,
        id,
    )?)
}

fn content(
    db: &dyn Db,
    origin: &Origin<'_>,
    row: &InvitationRow,
) -> Result<Option<Content>, ActionError> {
    let Some(inviter) = users::by_id(db, origin.realm_id, row.inviter_id)? else {
        return Ok(None);
    };
    let lasts = row.expires_at.map(|end| duration(end - origin.now));
    Ok(Some(Content {
        thread: Some(thread_of(&row.nonce)),
        to: None,
        values: values(&json!({
            "inviter": without_addresses(&inviter.full_name),
            "link": origin.links.link(&row.nonce)?,
            "lasts": lasts,
        })),
    }))
}
