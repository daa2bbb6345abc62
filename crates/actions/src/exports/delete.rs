//! Deletes the archive of an export (docs/protocol/exports.md#delete_realm_export).

use serde_json::json;
use spindle_domain::policy::may_have_export;
use spindle_store::{Connection, Freeing, audit, exports};

use super::{is_everything, realm_export};
use crate::files::release;
use crate::{ActionError, Actor, change};

/// Deletes the archive at `now` (UNIX seconds); the record stays. `realm_url` has no slash at its
/// end.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is no such export for the caller, or it has no archive
/// (yet, or no longer).
pub fn delete_export(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    export_id: i64,
    realm_url: &str,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let export = exports::find(tx, realm_id, export_id)?.filter(|export| {
            may_have_export(actor.role, is_everything(&export.export_type)).is_allowed()
        });
        let refusal = match &export {
            None => Some("There is no such export"),
            Some(export) if export.deleted => Some("The export is deleted already"),
            Some(export) if export.failed => Some("The export has failed, so there is no archive"),
            Some(_) => None,
        };
        if let Some(text) = refusal {
            return Err(ActionError::bad_request(text));
        }
        let Some((export_type, key)) =
            export.and_then(|export| Some((export.export_type, export.blob_key?)))
        else {
            return Err(ActionError::bad_request("The export is still being built"));
        };
        exports::set_deleted(tx, export_id, now)?;
        release(tx, &[&key], now)?;
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            None,
            "realm_export_deleted",
            &json!({"export_id": export_id}).to_string(),
        )?;
        let events = realm_export(tx, realm_id, realm_url, &export_type)?;
        Ok(change::outcome((), events))
    })
}
