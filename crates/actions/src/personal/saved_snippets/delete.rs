//! Deletes a saved snippet (docs/protocol/personal.md#delete_saved_snippet).

use spindle_domain::SavedSnippetId;
use spindle_events::kinds;
use spindle_store::{Connection, Freeing, saved_snippets};

use super::missing;
use crate::{ActionError, Actor, change};

/// Deletes a snippet of the caller's.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such snippet.
pub fn delete_saved_snippet(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    snippet_id: SavedSnippetId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !saved_snippets::delete(tx, user_id, snippet_id)? {
            return Err(missing());
        }
        let event = kinds::saved_snippets_remove(user_id, snippet_id);
        Ok(change::made((), event))
    })
}
