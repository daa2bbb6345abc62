//! `update_message`: messages were edited, moved, or rendered again.
//!
//! `propagate_mode` and the original location are present only for a move: clients treat the presence of
//! these fields as the move itself.

use serde_json::{Value, json};
use spindle_domain::{ChannelId, MessageId, UserId};

use super::{EventType, name_empty_topic};
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// A change of messages (docs/protocol/events.md#update_message).
#[derive(Debug, Clone, PartialEq)]
pub struct UpdatedMessages {
    /// The acting user; `None` if the messages were only rendered again.
    pub user_id: Option<UserId>,
    /// The message that the request changed.
    pub message_id: MessageId,
    /// All changed messages, including that one; sorted here.
    pub message_ids: Vec<MessageId>,
    /// UNIX seconds.
    pub edit_timestamp: i64,
    /// The original channel; `None` for direct messages.
    pub channel: Option<UpdatedIn>,
    /// The move, if there was one.
    pub moved: Option<MovedTo>,
    /// The new content, if it has changed.
    pub content: Option<NewContent>,
    /// `realm_empty_topic_display_name` at the time of the event.
    pub empty_topic_display_name: String,
}

/// The channel that messages were in before the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdatedIn {
    pub stream_id: ChannelId,
    /// `None` for an audience without access to the channel.
    pub stream_name: Option<String>,
}

/// A move.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedTo {
    /// `change_one`, `change_later` or `change_all`.
    pub propagate_mode: &'static str,
    /// Topic before the move.
    pub orig_subject: String,
    /// The new channel, if it has changed.
    pub new_stream_id: Option<ChannelId>,
    /// The new topic with its links, if it has changed.
    pub subject: Option<(String, Value)>,
}

/// A changed content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContent {
    /// Markdown and HTML before the change; `None` when it was only rendered again.
    pub original: Option<(String, String)>,
    pub content: String,
    pub rendered_content: String,
    pub is_me_message: bool,
    /// The new list of buttons; `None` when it has not changed.
    pub buttons: Option<Value>,
}

/// Messages were changed. `audience` has the flags of the first message for each reader.
/// See docs/protocol/messages.md#update_message.
#[must_use]
pub fn update_message(updated: UpdatedMessages, audience: Audience) -> Event {
    let mut ids = updated.message_ids;
    ids.push(updated.message_id);
    ids.sort_unstable();
    ids.dedup();
    let facts = json!({"empty_topic_display_name": updated.empty_topic_display_name});
    let mut body = record([
        ("user_id", json!(updated.user_id)),
        ("rendering_only", json!(updated.user_id.is_none())),
        ("message_id", json!(updated.message_id)),
        ("message_ids", json!(ids)),
        ("edit_timestamp", json!(updated.edit_timestamp)),
        (FACTS, facts),
    ]);
    if let Some(channel) = updated.channel {
        body.insert("stream_id".into(), json!(channel.stream_id));
        if let Some(name) = channel.stream_name {
            body.insert("stream_name".into(), name.into());
        }
    }
    if let Some(moved) = updated.moved {
        add_move(&mut body, moved);
    }
    if let Some(content) = updated.content {
        if let Some((markdown, html)) = content.original {
            body.insert("orig_content".into(), markdown.into());
            body.insert("orig_rendered_content".into(), html.into());
        }
        body.insert("content".into(), content.content.into());
        body.insert("rendered_content".into(), content.rendered_content.into());
        body.insert("is_me_message".into(), content.is_me_message.into());
        if let Some(buttons) = content.buttons {
            body.insert("buttons".into(), buttons);
        }
    }
    Event::new("update_message", body, audience)
}

fn add_move(body: &mut Record, moved: MovedTo) {
    if moved.new_stream_id.is_none() && moved.subject.is_none() {
        return;
    }
    body.insert("propagate_mode".into(), moved.propagate_mode.into());
    body.insert("orig_subject".into(), moved.orig_subject.into());
    if let Some(stream_id) = moved.new_stream_id {
        body.insert("new_stream_id".into(), json!(stream_id));
    }
    if let Some((topic, links)) = moved.subject {
        body.insert("subject".into(), topic.into());
        body.insert("topic_links".into(), links);
    }
}

pub(super) const KIND: EventType = EventType {
    name: "update_message",
    traits: Traits::EMPTY_TOPIC,
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    for field in ["orig_subject", "subject"] {
        name_empty_topic(&mut source, None, field);
    }
    let mut body = source.body;
    body.insert("flags".into(), source.flags.into());
    vec![body]
}
