//! `typing` and `typing_edit_message`: a user has started or stopped writing or editing a message.

use serde_json::{Value, json};
use spindle_domain::{ChannelId, MessageId, UserId};

use super::{EventType, name_empty_topic};
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// A participant, as typing events show them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypingUser {
    pub user_id: UserId,
    /// API email.
    pub email: String,
}

/// The conversation in which a user is typing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypingTo {
    /// All participants of a direct conversation, including the writer.
    Direct(Vec<TypingUser>),
    /// A topic of a channel.
    Channel {
        stream_id: ChannelId,
        topic: String,
        /// `realm_empty_topic_display_name` at the time of the event.
        empty_topic_display_name: String,
    },
}

/// `op` is `start` or `stop`. See docs/protocol/presence.md#set_typing_status,
/// docs/protocol/events.md#typing.
#[must_use]
pub fn typing(op: &str, sender: TypingUser, to: TypingTo, audience: Audience) -> Event {
    let mut body = record([("op", op.into()), ("sender", user(sender))]);
    match to {
        TypingTo::Direct(people) => {
            body.insert("message_type".into(), "direct".into());
            let people: Value = people.into_iter().map(user).collect();
            body.insert("recipients".into(), people);
        }
        TypingTo::Channel {
            stream_id,
            topic,
            empty_topic_display_name,
        } => {
            body.insert("message_type".into(), "stream".into());
            body.insert("stream_id".into(), json!(stream_id));
            body.insert("topic".into(), topic.into());
            let facts = json!({"empty_topic_display_name": empty_topic_display_name});
            body.insert(FACTS.into(), facts);
        }
    }
    Event::new("typing", body, audience)
}

fn user(user: TypingUser) -> Value {
    json!({"user_id": user.user_id, "email": user.email})
}

/// As [`typing`], for a message that is being edited. See
/// docs/protocol/presence.md#set_message_edit_typing_status, docs/protocol/events.md#typing.
#[must_use]
pub fn typing_edit_message(
    op: &str,
    sender_id: UserId,
    message_id: MessageId,
    to: TypingTo,
    audience: Audience,
) -> Event {
    let mut body = record([
        ("op", op.into()),
        ("sender_id", json!(sender_id)),
        ("message_id", json!(message_id)),
    ]);
    let recipient = match to {
        TypingTo::Direct(people) => {
            let ids: Vec<UserId> = people.iter().map(|person| person.user_id).collect();
            json!({"type": "direct", "user_ids": ids})
        }
        TypingTo::Channel {
            stream_id,
            topic,
            empty_topic_display_name,
        } => {
            let facts = json!({"empty_topic_display_name": empty_topic_display_name});
            body.insert(FACTS.into(), facts);
            json!({"type": "channel", "channel_id": stream_id, "topic": topic})
        }
    };
    body.insert("recipient".into(), recipient);
    Event::new("typing_edit_message", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "typing",
    traits: Traits::STREAM_TYPING.union(Traits::EMPTY_TOPIC),
    convert: Some(convert),
};

pub(super) const EDIT_MESSAGE: EventType = EventType {
    name: "typing_edit_message",
    traits: Traits::EMPTY_TOPIC,
    convert: Some(convert_edit_message),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if source.body.contains_key("stream_id") && !source.has(Traits::STREAM_TYPING) {
        return Vec::new();
    }
    name_empty_topic(&mut source, None, "topic");
    vec![source.body]
}

fn convert_edit_message(mut source: Source<'_>) -> Vec<Record> {
    name_empty_topic(&mut source, Some("recipient"), "topic");
    vec![source.body]
}
