//! The message object of the wire (docs/protocol/messages.md#message-object) and the names of
//! flags.

use serde_json::{Value, json};
use spindle_domain::ChannelId;
use spindle_events::Record;
use spindle_store::messages::{MessageRow, flag, property};

use crate::ActionError;
use crate::organization::linkifiers::TopicLinks;

/// How a reader wants messages to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageForm<'a> {
    /// HTML instead of Markdown.
    pub apply_markdown: bool,
    /// The client computes the addresses of gravatars itself.
    pub client_gravatar: bool,
    /// What stands for the empty topic.
    pub empty_topic: &'a str,
}

/// Wire names of flag bits, in the order of the documentation.
pub(crate) fn flag_names(flags: i64) -> Vec<&'static str> {
    let wildcard = flag::STREAM_WILDCARD_MENTIONED | flag::TOPIC_WILDCARD_MENTIONED;
    [
        (flag::READ, "read"),
        (flag::STARRED, "starred"),
        (flag::COLLAPSED, "collapsed"),
        (flag::MENTIONED | flag::GROUP_MENTIONED, "mentioned"),
        (flag::STREAM_WILDCARD_MENTIONED, "stream_wildcard_mentioned"),
        (flag::TOPIC_WILDCARD_MENTIONED, "topic_wildcard_mentioned"),
        (wildcard, "wildcard_mentioned"),
        (flag::HAS_ALERT_WORD, "has_alert_word"),
        (flag::HISTORICAL, "historical"),
    ]
    .into_iter()
    .filter_map(|(bits, name)| (flags & bits != 0).then_some(name))
    .collect()
}

/// Flags of a message that was never delivered to the reader.
pub(crate) const NOT_DELIVERED: i64 = flag::READ | flag::HISTORICAL;

/// Builds the object with `content`, `content_type` and `flags`.
pub(crate) fn message_object(
    row: MessageRow,
    form: &MessageForm<'_>,
    links: &TopicLinks,
) -> Result<Record, ActionError> {
    let mut object = common(&row, links)?;
    let (content, content_type) = if form.apply_markdown {
        (row.rendered_content, "text/html")
    } else {
        (row.content, "text/x-markdown")
    };
    object.insert("content".into(), content.into());
    object.insert("content_type".into(), content_type.into());
    object.insert(
        "flags".into(),
        json!(flag_names(row.flags.unwrap_or(NOT_DELIVERED))),
    );
    if row.channel_id.is_some() && row.topic.is_empty() {
        object.insert("subject".into(), form.empty_topic.into());
    }
    if form.client_gravatar && row.avatar_is_gravatar {
        object.insert("avatar_url".into(), Value::Null);
    }
    Ok(object)
}

/// The parts that do not depend on who reads.
fn common(row: &MessageRow, links: &TopicLinks) -> Result<Record, ActionError> {
    let display_recipient = json_of(&row.display_recipient)?;
    let kind = if row.channel_id.is_some() {
        "stream"
    } else {
        "private"
    };
    let mut object = Record::new();
    for (name, value) in [
        ("id", json!(row.id)),
        ("type", json!(kind)),
        ("sender_id", json!(row.sender_id)),
        ("sender_email", json!(row.sender_email)),
        ("sender_full_name", json!(row.sender_full_name)),
        ("sender_realm_str", json!(row.sender_realm_str)),
        ("avatar_url", json!(row.avatar_url)),
        ("timestamp", json!(row.date_sent)),
        ("client", json!(row.client)),
        ("subject", json!(row.topic)),
        ("topic_links", links.of(&row.topic)),
        (
            "is_me_message",
            json!(row.properties & property::IS_ME_MESSAGE != 0),
        ),
        ("reactions", json_of(&row.reactions)?),
        ("submessages", json_of(&row.submessages)?),
        ("recipient_id", json!(row.conversation_id)),
        ("display_recipient", display_recipient),
    ] {
        object.insert(name.to_owned(), value);
    }
    let optional = [
        ("stream_id", row.channel_id.map(ChannelId::get)),
        ("last_edit_timestamp", row.last_edit_time),
        ("last_moved_timestamp", row.last_moved_time),
    ];
    for (name, value) in optional {
        object.extend(value.map(|value| (name.to_owned(), json!(value))));
    }
    if let Some(history) = &row.edit_history {
        object.insert("edit_history".into(), json_of(history)?);
    }
    Ok(object)
}

fn json_of(stored: &str) -> Result<Value, ActionError> {
    serde_json::from_str(stored).map_err(|error| ActionError::Internal(error.to_string()))
}

/// The object without what differs by reader, for the event of a new message.
pub(crate) fn event_object(row: &MessageRow, links: &TopicLinks) -> Result<Record, ActionError> {
    common(row, links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_their_wire_names() {
        assert_eq!(flag_names(0), [""; 0]);
        assert_eq!(flag_names(1 | 64 | 2048), ["read", "mentioned"]);
        assert_eq!(flag_names(8), ["mentioned"]);
        assert_eq!(
            flag_names(16 | 1024),
            [
                "stream_wildcard_mentioned",
                "wildcard_mentioned",
                "historical"
            ]
        );
        assert_eq!(
            flag_names(32),
            ["topic_wildcard_mentioned", "wildcard_mentioned"]
        );
    }
}
