//! `message`: a message was sent.
//!
//! The row holds the message once, with its Markdown source as `content`; the HTML and the other data for
//! the forms of queues are facts.

use serde_json::{Value, json};

use super::{EventType, name_empty_topic};
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// The data of a new message's event.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The message object of docs/protocol/messages.md#message-object without `content`,
    /// `content_type` and `flags`; `subject` is the empty string for the empty topic, `avatar_url`
    /// is filled in.
    pub message: Record,
    /// Markdown source.
    pub content: String,
    /// HTML.
    pub rendered_content: String,
    /// Whether the avatar is a gravatar of an address that all users may see, so that queues with
    /// `client_gravatar` receive null.
    pub avatar_computable: bool,
    /// `realm_empty_topic_display_name` at the time of the event.
    pub empty_topic_display_name: String,
    /// Given by the sender's client to recognize its own message.
    pub local: Option<LocalEcho>,
}

/// Parameters `queue_id` and `local_id` of POST /messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalEcho {
    pub queue_id: String,
    pub local_id: String,
}

/// A message was sent. `audience`: its recipients with their flags, and the channel
/// (docs/protocol/events.md#delivery). See docs/protocol/messages.md#send_message.
#[must_use]
pub fn message(new: Message, audience: Audience) -> Event {
    let mut wire = new.message;
    wire.insert("content".into(), new.content.into());
    let mut facts = record([
        ("rendered_content", new.rendered_content.into()),
        ("avatar_computable", new.avatar_computable.into()),
        (
            "empty_topic_display_name",
            new.empty_topic_display_name.into(),
        ),
    ]);
    if let Some(local) = new.local {
        let local = json!({"queue_id": local.queue_id, "local_id": local.local_id});
        facts.insert("local".into(), local);
    }
    let body = record([("message", wire.into()), (FACTS, facts.into())]);
    Event::new("message", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "message",
    traits: Traits::APPLY_MARKDOWN
        .union(Traits::CLIENT_GRAVATAR)
        .union(Traits::EMPTY_TOPIC),
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    if is_channel_message(&source.body) {
        name_empty_topic(&mut source, Some("message"), "subject");
    }
    let markdown = source.has(Traits::APPLY_MARKDOWN);
    let hide_avatar =
        source.has(Traits::CLIENT_GRAVATAR) && source.fact_is_true("avatar_computable");
    let rendered = source.facts.remove("rendered_content");
    let local_id = match source.facts.remove("local") {
        Some(Value::Object(mut local)) if source.variant.local => local.remove("local_id"),
        _ => None,
    };
    let mut body = source.body;
    if let Some(Value::Object(message)) = body.get_mut("message") {
        if let (true, Some(html)) = (markdown, rendered) {
            message.insert("content".into(), html);
        }
        let content_type = if markdown {
            "text/html"
        } else {
            "text/x-markdown"
        };
        message.insert("content_type".into(), content_type.into());
        if hide_avatar {
            message.insert("avatar_url".into(), Value::Null);
        }
    }
    body.insert("flags".into(), source.flags.into());
    if let Some(local_id) = local_id {
        body.insert("local_message_id".into(), local_id);
    }
    vec![body]
}

fn is_channel_message(body: &Record) -> bool {
    body.get("message")
        .and_then(|message| message.get("stream_id"))
        .is_some()
}
