//! Ends a key of the caller's (docs/protocol/sessions.md#end_api_key).

use serde_json::json;
use spindle_domain::ApiKeyId;
use spindle_events::credentials_ended;
use spindle_store::{Connection, Freeing, audit, keys};

use crate::{ActionError, Actor, change};

/// Ends a key of the caller's at `now` (UNIX seconds); polls that wait with it end.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such key.
pub fn end_api_key(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    key_id: ApiKeyId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::emitting(db, realm_id, now, |tx| {
        let ended = keys::delete(tx, user_id, key_id)?
            .ok_or_else(|| ActionError::NotFound("You have no such API key".to_owned()))?;
        let data = json!({"key_id": ended.id, "name": ended.name}).to_string();
        let (own, kind) = (Some(user_id), "user_api_key_ended");
        audit::append(tx, realm_id, now, own, own, kind, &data)?;
        Ok(change::made((), credentials_ended(user_id)))
    })
}
