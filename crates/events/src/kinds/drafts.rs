//! `drafts`: drafts of a user were added, changed or removed.

use serde_json::{Value, json};
use spindle_domain::{DraftId, UserId};

use crate::event::{Record, record};
use crate::{Audience, Event};

fn draft_event(user_id: UserId, op: &str, field: &str, value: Value) -> Event {
    let body = record([("op", json!(op)), (field, value)]);
    Event::new("drafts", body, Audience::user(user_id))
}

/// New drafts as the register section shows them. See docs/protocol/personal.md#create_drafts.
#[must_use]
pub fn drafts_add(user_id: UserId, drafts: Vec<Record>) -> Event {
    draft_event(user_id, "add", "drafts", json!(drafts))
}

/// The whole draft after a change. See docs/protocol/personal.md#edit_draft.
#[must_use]
pub fn drafts_update(user_id: UserId, draft: Record) -> Event {
    draft_event(user_id, "update", "draft", Value::Object(draft))
}

/// The draft with this id was removed.
#[must_use]
pub fn drafts_remove(user_id: UserId, draft_id: DraftId) -> Event {
    draft_event(user_id, "remove", "draft_id", json!(draft_id))
}
