//! `update_message_flags`: personal flags of messages.

use serde_json::{Value, json};
use spindle_domain::{MessageId, UserId};

use super::EventType;
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// Messages of one user have become read (docs/protocol/events.md#update_message_flags).
#[must_use]
pub fn update_message_flags_read(user_id: UserId, message_ids: &[MessageId]) -> Event {
    update_message_flags_add(user_id, "read", message_ids)
}

/// A flag was added to messages of one user. See docs/protocol/flags.md#update_message_flags.
#[must_use]
pub fn update_message_flags_add(user_id: UserId, flag: &str, message_ids: &[MessageId]) -> Event {
    let body = body("add", flag, message_ids, false);
    Event::new("update_message_flags", body, Audience::user(user_id))
}

/// Every message of one user is read now. See docs/protocol/flags.md#mark_all_as_read.
#[must_use]
pub fn update_message_flags_all_read(user_id: UserId) -> Event {
    let body = body("add", "read", &[], true);
    Event::new("update_message_flags", body, Audience::user(user_id))
}

/// A flag was removed from messages of one user. See docs/protocol/flags.md#update_message_flags.
#[must_use]
pub fn update_message_flags_remove(
    user_id: UserId,
    flag: &str,
    message_ids: &[MessageId],
) -> Event {
    let body = body("remove", flag, message_ids, false);
    Event::new("update_message_flags", body, Audience::user(user_id))
}

/// Messages of one user are unread again. `details` gives their conversations by message id
/// (docs/protocol/events.md#update_message_flags, `message_details`), with an empty string for the
/// empty topic.
#[must_use]
pub fn update_message_flags_unread(
    user_id: UserId,
    message_ids: &[MessageId],
    details: Record,
    empty_topic_display_name: &str,
) -> Event {
    let mut body = body("remove", "read", message_ids, false);
    body.insert("message_details".into(), details.into());
    body.insert(
        FACTS.into(),
        json!({"empty_topic_display_name": empty_topic_display_name}),
    );
    Event::new("update_message_flags", body, Audience::user(user_id))
}

fn body(op: &str, flag: &str, message_ids: &[MessageId], all: bool) -> Record {
    record([
        ("op", json!(op)),
        ("operation", json!(op)),
        ("flag", json!(flag)),
        ("messages", json!(message_ids)),
        ("all", json!(all)),
    ])
}

pub(super) const KIND: EventType = EventType {
    name: "update_message_flags",
    traits: Traits::EMPTY_TOPIC,
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    let name = source.fact("empty_topic_display_name").cloned();
    let shows_empty = source.has(Traits::EMPTY_TOPIC);
    if let (false, Some(name), Some(Value::Object(details))) =
        (shows_empty, name, source.body.get_mut("message_details"))
    {
        for detail in details.values_mut() {
            if let Some(topic) = detail.get_mut("topic")
                && topic.as_str() == Some("")
            {
                *topic = name.clone();
            }
        }
    }
    vec![source.body]
}
