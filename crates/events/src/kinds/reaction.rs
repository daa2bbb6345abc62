//! `reaction`: a user has added or removed an emoji reaction.
//!
//! Clients from before feature level 484 read the user from an object `user`. It is sent to queues that
//! declare no capabilities, as such clients do.

use serde_json::json;
use spindle_domain::{MessageId, UserId};

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// One emoji reaction of one user to one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    pub user_id: UserId,
    /// API email of the user.
    pub email: String,
    /// Name of the user.
    pub full_name: String,
    pub message_id: MessageId,
    /// As stored.
    pub emoji_name: String,
    pub emoji_code: String,
    pub reaction_type: String,
}

/// A reaction was added. `audience`: all with access to the message. See
/// docs/protocol/messages.md#add_reaction, docs/protocol/events.md#reaction.
#[must_use]
pub fn reaction_add(reaction: Reaction, audience: Audience) -> Event {
    event("add", reaction, audience)
}

/// A reaction was removed. `audience`: all with access to the message (DELETE
/// /messages/{message_id}/reactions).
#[must_use]
pub fn reaction_remove(reaction: Reaction, audience: Audience) -> Event {
    event("remove", reaction, audience)
}

fn event(op: &str, reaction: Reaction, audience: Audience) -> Event {
    let user = json!({"user_id": reaction.user_id, "email": reaction.email,
        "full_name": reaction.full_name});
    let body = record([
        ("op", json!(op)),
        ("user_id", json!(reaction.user_id)),
        ("message_id", json!(reaction.message_id)),
        ("emoji_name", json!(reaction.emoji_name)),
        ("emoji_code", json!(reaction.emoji_code)),
        ("reaction_type", json!(reaction.reaction_type)),
        (FACTS, json!({"user": user})),
    ]);
    Event::new("reaction", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "reaction",
    traits: Traits::NO_CAPABILITIES,
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if source.has(Traits::NO_CAPABILITIES)
        && let Some(user) = source.fact("user").cloned()
    {
        source.body.insert("user".to_owned(), user);
    }
    vec![source.body]
}
