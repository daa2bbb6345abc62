//! Removes a playground.

use serde_json::json;
use spindle_domain::PlaygroundId;
use spindle_store::{Connection, realm_playgrounds};

use super::emit_list;
use crate::account::manage_account::Change;
use crate::{ActionError, Actor};

/// Removes a playground at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] when there is none.
pub fn remove_playground(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    playground_id: PlaygroundId,
) -> Result<(), ActionError> {
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        if !realm_playgrounds::delete(change.tx, change.realm_id, playground_id)? {
            return Err(ActionError::bad_request(
                "There is no playground with this id",
            ));
        }
        emit_list(change)?;
        let data = json!({"playground_id": playground_id});
        change.audit(None, "playground_removed", &data)?;
        Ok(())
    })
}
