//! Adds alert words.

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_store::{Connection, alert_words};

use super::{clean, outcome};
use crate::{ActionError, Actor, change, quota};

/// Adds words of the caller's; existing ones stay unchanged. Returns the list as JSON.
///
/// # Errors
/// [`ActionError::BadRequest`] for a word that is too long, and for one word too many.
pub fn add_alert_words(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    words: &[String],
) -> Result<String, ActionError> {
    let words = json!(clean(words)?).to_string();
    change::if_needed(db, actor.realm_id, now, |tx| {
        let added = alert_words::insert(tx, actor.user_id, &words)?;
        if added > 0 {
            quota::check(tx, Quota::AlertWords, actor.user_id)?;
        }
        outcome(tx, actor, added)
    })
}
