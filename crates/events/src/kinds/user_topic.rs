//! `user_topic`: a user has changed the visibility policy of a topic; and its predecessor `muted_topics`,
//! for queues that do not request `user_topic`.

use serde_json::{Value, json};
use spindle_domain::{ChannelId, UserId, VisibilityPolicy};

use super::{EventType, name_empty_topic};
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// A topic and its visibility policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicChange {
    pub stream_id: ChannelId,
    /// Empty for the empty topic.
    pub topic_name: String,
    /// UNIX seconds.
    pub last_updated: i64,
    pub visibility_policy: VisibilityPolicy,
    /// `realm_empty_topic_display_name` at the time of the event.
    pub empty_topic_display_name: String,
}

/// The policy of these users for a topic has changed. See docs/protocol/topics.md#set_user_topic,
/// docs/protocol/events.md#user_topic.
#[must_use]
pub fn user_topic(change: TopicChange, user_ids: &[UserId]) -> Event {
    let body = record([
        ("stream_id", json!(change.stream_id)),
        ("topic_name", json!(change.topic_name)),
        ("last_updated", json!(change.last_updated)),
        ("visibility_policy", json!(change.visibility_policy.get())),
        (
            FACTS,
            json!({"empty_topic_display_name": change.empty_topic_display_name}),
        ),
    ]);
    Event::new(
        "user_topic",
        body,
        Audience::users(user_ids.iter().copied()),
    )
}

/// The whole list of muted topics of a user after a change: lists of channel name, topic and
/// UNIX seconds (docs/protocol/events.md#user_topic).
#[must_use]
pub fn muted_topics(user_id: UserId, list: Value, empty_topic_display_name: &str) -> Event {
    let body = record([
        ("muted_topics", list),
        (
            FACTS,
            json!({"empty_topic_display_name": empty_topic_display_name}),
        ),
    ]);
    Event::new("muted_topics", body, Audience::user(user_id))
}

pub(super) const KIND: EventType = EventType {
    name: "user_topic",
    traits: Traits::EMPTY_TOPIC,
    convert: Some(convert),
};

pub(super) const MUTED_TOPICS: EventType = EventType {
    name: "muted_topics",
    traits: Traits::EMPTY_TOPIC,
    convert: Some(convert_list),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    name_empty_topic(&mut source, None, "topic_name");
    vec![source.body]
}

fn convert_list(mut source: Source<'_>) -> Vec<Record> {
    let name = source.fact("empty_topic_display_name").cloned();
    let shows_empty = source.has(Traits::EMPTY_TOPIC);
    if let (false, Some(name), Some(Value::Array(list))) =
        (shows_empty, name, source.body.get_mut("muted_topics"))
    {
        for topic in list.iter_mut().filter_map(|entry| entry.get_mut(1)) {
            if topic.as_str() == Some("") {
                *topic = name.clone();
            }
        }
    }
    vec![source.body]
}
