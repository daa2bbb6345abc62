//! Adds alert words.

use serde_json::json;
use spindle_domain::limits::quotas::Quota;
use spindle_store::{Connection, WriteTx, alert_words};

use super::{clean, commit};
use crate::{ActionError, Actor, quota};

/// Adds words of the caller's; those that are there already stay as they are. Returns the
/// list as JSON.
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
    let tx = WriteTx::begin(db)?;
    let added = alert_words::insert(&tx, actor.user_id.get(), &words)?;
    if added > 0 {
        quota::check(&tx, Quota::AlertWords, actor.user_id.get())?;
    }
    commit(tx, actor, now, added)
}
