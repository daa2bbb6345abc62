//! Removes alert words.

use serde_json::json;
use spindle_store::{Connection, alert_words};

use super::{clean, outcome};
use crate::{ActionError, Actor, change};

/// Removes words of the caller's; missing ones are ignored. Returns the list as JSON.
///
/// # Errors
/// [`ActionError::BadRequest`] for a word that is too long to be one.
pub fn remove_alert_words(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    words: &[String],
) -> Result<String, ActionError> {
    let folded: Vec<String> = clean(words)?
        .into_iter()
        .map(|(folded, _)| folded)
        .collect();
    change::if_needed(db, actor.realm_id, now, |tx| {
        let removed = alert_words::delete(tx, actor.user_id, &json!(folded).to_string())?;
        outcome(tx, actor, removed)
    })
}
