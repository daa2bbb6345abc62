//! Puts the custom profile fields into another order.

use std::collections::BTreeSet;

use serde_json::json;
use spindle_domain::ProfileFieldId;
use spindle_store::{Connection, profile_fields};

use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Gives each field the position that it has in `order` at `now` (UNIX seconds). Ids without a
/// field are skipped, and of a repeated id the last position counts. See
/// docs/protocol/profile-fields.md#reorder_profile_fields.
///
/// # Errors
/// [`ActionError::BadRequest`] when a field is missing from the list.
pub fn reorder_profile_fields(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    order: &[ProfileFieldId],
) -> Result<(), ActionError> {
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let listed: BTreeSet<ProfileFieldId> = order.iter().copied().collect();
        let fields = profile_fields::list(change.tx, change.realm_id)?;
        if let Some(missing) = fields.iter().find(|field| !listed.contains(&field.id)) {
            let id = missing.id;
            let text = format!("order: the profile field {id} is missing");
            return Err(ActionError::BadRequest(text));
        }
        let order = spindle_store::id_list(order.iter().copied());
        profile_fields::reorder(change.tx, change.realm_id, &order)?;
        super::emit_list(change)?;
        change.audit(None, "profile_fields_reordered", &json!({}))?;
        Ok(())
    })
}
