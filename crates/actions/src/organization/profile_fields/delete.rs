//! Deletes a custom profile field with all its values.

use serde_json::json;
use spindle_domain::ProfileFieldId;
use spindle_domain::policy::Reason;
use spindle_store::{Connection, profile_fields};

use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Deletes the field `field_id` at `now` (UNIX seconds). Its absence from
/// the list says that its values are gone. See docs/protocol/profile-fields.md#delete_profile_field.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such field.
pub fn delete_profile_field(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    field_id: ProfileFieldId,
) -> Result<(), ActionError> {
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let fields = profile_fields::list(change.tx, change.realm_id)?;
        let field = fields
            .iter()
            .find(|field| field.id == field_id)
            .ok_or(Reason::NoAccess)?;
        profile_fields::delete(change.tx, field_id)?;
        super::emit_list(change)?;
        let data = json!({"id": field_id, "name": field.name});
        change.audit(None, "profile_field_deleted", &data)?;
        Ok(())
    })
}
