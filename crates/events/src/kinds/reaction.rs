//! `reaction`: somebody has put an emoji on a message, or taken one off.

use serde_json::json;

use crate::event::record;
use crate::{Audience, Event};

/// One emoji of one person on one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    pub user_id: i64,
    pub message_id: i64,
    /// As stored.
    pub emoji_name: String,
    pub emoji_code: String,
    pub reaction_type: String,
}

/// An emoji was added; for all who read the message. Specification: POST
/// /messages/{message_id}/reactions; protocol-facts 3.6.
#[must_use]
pub fn reaction_add(reaction: Reaction, audience: Audience) -> Event {
    event("add", reaction, audience)
}

/// An emoji was taken off; for all who read the message (DELETE
/// /messages/{message_id}/reactions).
#[must_use]
pub fn reaction_remove(reaction: Reaction, audience: Audience) -> Event {
    event("remove", reaction, audience)
}

fn event(op: &str, reaction: Reaction, audience: Audience) -> Event {
    let body = record([
        ("op", json!(op)),
        ("user_id", json!(reaction.user_id)),
        ("message_id", json!(reaction.message_id)),
        ("emoji_name", json!(reaction.emoji_name)),
        ("emoji_code", json!(reaction.emoji_code)),
        ("reaction_type", json!(reaction.reaction_type)),
    ]);
    Event::new("reaction", body, audience)
}
