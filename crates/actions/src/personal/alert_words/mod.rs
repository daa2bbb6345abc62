//! Alert words: words that mark a message for the users who have chosen them
//! (docs/protocol/personal.md#alert-words).
//!
//! Owns the lists. Two words that differ in case only are the same. Whom a new message is marked
//! for is decided in `messages::alerted_users`.

mod add;
mod remove;

pub use add::add_alert_words;
pub use remove::remove_alert_words;

use spindle_domain::limits::MAX_ALERT_WORD_LENGTH;
use spindle_domain::text::{Form, is_longer_than};
use spindle_events::kinds;
use spindle_store::{Db, Outcome, WriteTx, alert_words};

use crate::text::accept;
use crate::{ActionError, Actor, change};

/// The caller's words as a JSON list, in the order in which they were added.
pub fn list_alert_words(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(alert_words::records(db, actor.user_id)?)
}

/// Words as they are stored, with their lower case before them; blank ones are left out.
fn clean(words: &[String]) -> Result<Vec<(String, String)>, ActionError> {
    let words: Vec<String> = words
        .iter()
        .map(|word| accept(Form::Name, "an alert word", word))
        .collect::<Result<_, _>>()?;
    let cleaned: Vec<_> = words
        .into_iter()
        .filter(|word| !word.is_empty())
        .map(|word| (word.to_lowercase(), word))
        .collect();
    let is_long = |word: &str| is_longer_than(word, MAX_ALERT_WORD_LENGTH);
    if cleaned.iter().any(|(_, word)| is_long(word)) {
        return Err(ActionError::BadRequest(format!(
            "An alert word has at most {MAX_ALERT_WORD_LENGTH} characters"
        )));
    }
    Ok(cleaned)
}

/// The outcome of a change of `changed` words: the current list, as JSON.
fn outcome(
    tx: &WriteTx<'_>,
    actor: &Actor,
    changed: usize,
) -> Result<Outcome<String>, ActionError> {
    let user_id = actor.user_id;
    let list = alert_words::records(tx, user_id)?;
    if changed == 0 {
        return Ok(Outcome::Unchanged(list));
    }
    let words: Vec<String> =
        serde_json::from_str(&list).map_err(|error| ActionError::Internal(error.to_string()))?;
    Ok(change::outcome(list, [kinds::alert_words(user_id, &words)]))
}
