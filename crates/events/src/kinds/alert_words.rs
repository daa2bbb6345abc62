//! `alert_words`: the list of a user's alert words has changed.

use serde_json::json;
use spindle_domain::UserId;

use crate::event::record;
use crate::{Audience, Event};

/// The whole list after a change. See docs/protocol/personal.md#add_alert_words,
/// docs/protocol/personal.md#remove_alert_words, docs/protocol/events.md#alert_words.
#[must_use]
pub fn alert_words(user_id: UserId, words: &[String]) -> Event {
    let body = record([("alert_words", json!(words))]);
    Event::new("alert_words", body, Audience::user(user_id))
}
