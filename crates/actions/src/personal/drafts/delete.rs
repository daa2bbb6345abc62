//! Deletes a draft (docs/protocol/personal.md#delete_draft).

use spindle_domain::DraftId;
use spindle_events::kinds;
use spindle_store::{Connection, Freeing, drafts};

use super::{check_enabled, missing};
use crate::{ActionError, Actor, change};

/// Deletes a draft of the caller's.
///
/// # Errors
/// [`ActionError::BadRequest`] while drafts are switched off; [`ActionError::NotFound`] when the
/// caller has no such draft.
pub fn delete_draft(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    draft_id: DraftId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    check_enabled(actor)?;
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !drafts::delete(tx, user_id, draft_id)? {
            return Err(missing());
        }
        let event = kinds::drafts_remove(user_id, draft_id);
        Ok(change::made((), event))
    })
}
