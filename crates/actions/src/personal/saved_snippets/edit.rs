//! Edits a saved snippet (docs/protocol/personal.md#edit_saved_snippet).

use spindle_domain::SavedSnippetId;
use spindle_domain::limits::quotas::Quota;
use spindle_events::kinds;
use spindle_store::{Connection, saved_snippets};

use super::{check_content, check_title, missing};
use crate::json_record::parse_record;
use crate::quota::Meter;
use crate::{ActionError, Actor, change};

/// Changes title and content of a snippet of the caller's, as far as they are given. Without
/// either there is nothing to do, whether or not there is such a snippet.
///
/// # Errors
/// [`ActionError::BadRequest`] for a blank or too long title or content, and when all snippets
/// together become too long;
/// [`ActionError::NotFound`] when the caller has no such snippet.
pub fn edit_saved_snippet(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    snippet_id: SavedSnippetId,
    title: Option<&str>,
    content: Option<&str>,
) -> Result<(), ActionError> {
    let content = content.map(check_content).transpose()?;
    let title = title.map(check_title).transpose()?;
    if title.is_none() && content.is_none() {
        return Ok(());
    }
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        let text = Meter::start(tx, Quota::SavedSnippetText, user_id)?;
        let (title, content) = (title.as_deref(), content.as_deref());
        let record =
            saved_snippets::update(tx, user_id, snippet_id, title, content)?.ok_or_else(missing)?;
        text.check(tx)?;
        let event = kinds::saved_snippets_update(user_id, parse_record(&record)?);
        Ok(change::made((), event))
    })
}
