//! `saved_snippets`: a snippet of a user was added, changed or removed.

use serde_json::{Value, json};
use spindle_domain::{SavedSnippetId, UserId};

use crate::event::{Record, record};
use crate::{Audience, Event};

fn snippet_event(user_id: UserId, op: &str, field: &str, value: Value) -> Event {
    let body = record([("op", json!(op)), (field, value)]);
    Event::new("saved_snippets", body, Audience::user(user_id))
}

/// A new snippet as the register section shows it. See
/// docs/protocol/personal.md#create_saved_snippet.
#[must_use]
pub fn saved_snippets_add(user_id: UserId, snippet: Record) -> Event {
    snippet_event(user_id, "add", "saved_snippet", Value::Object(snippet))
}

/// The whole snippet after a change. See docs/protocol/personal.md#edit_saved_snippet.
#[must_use]
pub fn saved_snippets_update(user_id: UserId, snippet: Record) -> Event {
    snippet_event(user_id, "update", "saved_snippet", Value::Object(snippet))
}

/// The snippet with this id was removed.
#[must_use]
pub fn saved_snippets_remove(user_id: UserId, snippet_id: SavedSnippetId) -> Event {
    snippet_event(user_id, "remove", "saved_snippet_id", json!(snippet_id))
}
