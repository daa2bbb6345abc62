//! `submessage`: a poll or to-do list was created in a message or used.

use serde_json::json;
use spindle_domain::{MessageId, SubmessageId, UserId};

use crate::event::record;
use crate::{Audience, Event};

/// A structured part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submessage {
    /// The part.
    pub submessage_id: SubmessageId,
    /// The message that it belongs to.
    pub message_id: MessageId,
    /// The account that has added it.
    pub sender_id: UserId,
    /// `widget`.
    pub msg_type: String,
    /// JSON, as it was sent.
    pub content: String,
}

/// See docs/protocol/messages.md#send_submessage, docs/protocol/events.md#submessage. `audience`:
/// all with access to the message.
#[must_use]
pub fn submessage(new: Submessage, audience: Audience) -> Event {
    let body = record([
        ("msg_type", new.msg_type.into()),
        ("content", new.content.into()),
        ("message_id", json!(new.message_id)),
        ("sender_id", json!(new.sender_id)),
        ("submessage_id", json!(new.submessage_id)),
    ]);
    Event::new("submessage", body, audience)
}
