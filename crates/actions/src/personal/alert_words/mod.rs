//! Alert words: words that mark a message for whoever wants to know of it (protocol-facts 5.6:
//! /users/me/alert_words).
//!
//! Owns the lists and finding whom a new message is to be marked for. Two words that differ in
//! case only are the same.

mod add;
mod remove;

pub use add::add_alert_words;
pub use remove::remove_alert_words;

use spindle_events::kinds;
use spindle_markup::AlertWords;
use spindle_store::{Db, Emitted, WriteTx, alert_words};

use crate::{ActionError, Actor, emit};

/// Longest alert word, in code points.
const MAX_LENGTH: usize = 100;

/// The caller's words as a JSON list, in the order in which they were added.
///
/// # Errors
/// [`ActionError::Store`].
pub fn list_alert_words(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(alert_words::records(db, actor.user_id.get())?)
}

/// Words without surrounding space; blank ones are left out. As sent and in lower case.
fn clean(words: &[String]) -> Result<Vec<(String, &str)>, ActionError> {
    let trimmed = words.iter().map(|word| word.trim());
    let cleaned: Vec<_> = trimmed
        .filter(|word| !word.is_empty())
        .map(|word| (word.to_lowercase(), word))
        .collect();
    let is_long = |word: &str| spindle_domain::text::is_longer_than(word, MAX_LENGTH);
    if cleaned.iter().any(|(_, word)| is_long(word)) {
        return Err(ActionError::BadRequest(format!(
            "An alert word has at most {MAX_LENGTH} characters"
        )));
    }
    Ok(cleaned)
}

/// Commits a change of `changed` words and returns the list as it is now, as JSON.
fn commit(tx: WriteTx<'_>, actor: &Actor, now: i64, changed: usize) -> Result<String, ActionError> {
    let user_id = actor.user_id.get();
    let list = alert_words::records(&tx, user_id)?;
    let emitted = if changed == 0 {
        Emitted::Nothing("the list is as before")
    } else {
        let words: Vec<String> = serde_json::from_str(&list)
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        emit::events([kinds::alert_words(user_id, &words)])
    };
    tx.commit(actor.realm_id.get(), now, emitted)?;
    Ok(list)
}

/// Ids of the users one of whose words the content holds, ascending. Costs one statement when
/// no word occurs in it at all.
///
/// # Errors
/// [`ActionError::Store`], [`ActionError::Internal`].
pub(crate) fn alerted_users(db: &dyn Db, content: &str) -> Result<Vec<i64>, ActionError> {
    let occurring = alert_words::occurring(db, &content.to_lowercase())?;
    if occurring.is_empty() {
        return Ok(Vec::new());
    }
    let words: Vec<&str> = occurring.iter().map(|(word, _)| word.as_str()).collect();
    let searched =
        AlertWords::new(&words).map_err(|error| ActionError::Internal(error.to_string()))?;
    let mut users: Vec<i64> = searched
        .matching(content)
        .into_iter()
        .filter_map(|index| occurring.get(index))
        .flat_map(|(_, users)| users.iter().copied())
        .collect();
    users.sort_unstable();
    users.dedup();
    Ok(users)
}
