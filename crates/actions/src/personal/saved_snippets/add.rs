//! Adds a saved snippet (docs/protocol/personal.md#create_saved_snippet).

use spindle_domain::SavedSnippetId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::{Connection, saved_snippets};

use super::{check_content, check_title};
use crate::json_record::parse_record;
use crate::{ActionError, Actor, change, quota};

/// Adds a snippet of the caller's at `now` (UNIX seconds) and returns its id.
///
/// # Errors
/// [`ActionError::BadRequest`] for a blank or too long title or content, and for one snippet
/// too many.
pub fn add_saved_snippet(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    title: &str,
    content: &str,
) -> Result<SavedSnippetId, ActionError> {
    let content = check_content(content)?;
    let title = check_title(title)?;
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        let new = saved_snippets::insert(tx, user_id, &title, &content, now)?;
        quota::check(tx, Quota::SavedSnippets, user_id)?;
        quota::check(tx, Quota::SavedSnippetText, user_id)?;
        let event = kinds::saved_snippets_add(user_id, parse_record(&new.object)?);
        Ok(change::made(new.id, event))
    })
}
