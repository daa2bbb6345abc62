//! The message object of the wire (docs/protocol/messages.md#message-object) and the names of
//! flags.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use spindle_domain::{ChannelId, ConversationId, MessageId, UserId};
use spindle_events::Record;
use spindle_store::messages::{MessageRow, flag, property};

use crate::ActionError;
use crate::messages::match_fields::NarrowMatch;
use crate::organization::linkifiers::TopicLinks;

/// How a reader wants messages to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageForm<'a> {
    /// HTML instead of Markdown.
    pub apply_markdown: bool,
    /// The client computes the addresses of gravatars itself.
    pub client_gravatar: bool,
    /// The name shown for the empty topic.
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

/// A message in its wire format: written straight from its row, with JSON columns copied unchanged.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MessageObject<'a> {
    /// `None` means that the client computes it.
    avatar_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    buttons: Option<&'a RawValue>,
    client: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_type: Option<&'static str>,
    display_recipient: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit_history: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<Vec<&'static str>>,
    id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_incomplete: Option<bool>,
    is_me_message: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edit_timestamp: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_moved_timestamp: Option<i64>,
    /// With the words that were searched for marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    match_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_subject: Option<String>,
    reactions: StoredList<'a>,
    recipient_id: ConversationId,
    sender_email: &'a str,
    sender_full_name: &'a str,
    sender_id: UserId,
    sender_realm_str: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_id: Option<ChannelId>,
    subject: &'a str,
    submessages: StoredList<'a>,
    timestamp: i64,
    topic_links: &'a RawValue,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a> MessageObject<'a> {
    /// The parts that do not depend on who reads. `topic_links` are those of its topic.
    fn common(row: &'a MessageRow, topic_links: &'a RawValue) -> Result<Self, ActionError> {
        let history = row.edit_history.as_deref();
        Ok(Self {
            avatar_url: Some(&row.avatar_url),
            buttons: row.buttons.as_deref().map(stored).transpose()?,
            client: &row.client,
            content: None,
            content_type: None,
            display_recipient: stored(&row.display_recipient)?,
            edit_history: history.map(stored).transpose()?,
            flags: None,
            id: row.id,
            is_incomplete: row.is_incomplete.then_some(true),
            is_me_message: row.properties & property::IS_ME_MESSAGE != 0,
            last_edit_timestamp: row.last_edit_time,
            last_moved_timestamp: row.last_moved_time,
            match_content: None,
            match_subject: None,
            reactions: StoredList::of(row.reactions.as_deref())?,
            recipient_id: row.conversation_id,
            sender_email: &row.sender_email,
            sender_full_name: &row.sender_full_name,
            sender_id: row.sender_id,
            sender_realm_str: &row.sender_realm_str,
            stream_id: row.channel_id,
            subject: &row.topic,
            submessages: StoredList::of(row.submessages.as_deref())?,
            timestamp: row.date_sent,
            topic_links,
            kind: if row.channel_id.is_some() {
                "stream"
            } else {
                "private"
            },
        })
    }

    /// With `content`, `content_type` and `flags`, as a reader wants it.
    pub(crate) fn for_reader(
        row: &'a MessageRow,
        form: &MessageForm<'a>,
        topic_links: &'a RawValue,
    ) -> Result<Self, ActionError> {
        let mut object = Self::common(row, topic_links)?;
        let (content, content_type) = if form.apply_markdown {
            (&row.rendered_content, "text/html")
        } else {
            (&row.content, "text/x-markdown")
        };
        object.content = Some(content);
        object.content_type = Some(content_type);
        object.flags = Some(flag_names(row.flags.unwrap_or(NOT_DELIVERED)));
        if row.channel_id.is_some() && row.topic.is_empty() {
            object.subject = form.empty_topic;
        }
        if form.client_gravatar && row.avatar_is_gravatar {
            object.avatar_url = None;
        }
        Ok(object)
    }

    /// With what was searched for.
    pub(crate) fn with_match(mut self, found: Option<NarrowMatch>) -> Self {
        if let Some(found) = found {
            self.match_content = Some(found.match_content);
            self.match_subject = Some(found.match_subject);
        }
        self
    }

    fn into_record(self) -> Result<Record, ActionError> {
        match serde_json::to_value(self).map_err(unreadable)? {
            Value::Object(record) => Ok(record),
            _ => Err(ActionError::Internal("a message is no object".to_owned())),
        }
    }
}

/// The object with `content`, `content_type` and `flags`, for callers that change it further.
pub(crate) fn message_object(
    row: &MessageRow,
    form: &MessageForm<'_>,
    links: &TopicLinks,
) -> Result<Record, ActionError> {
    let links = links.text(&row.topic)?;
    MessageObject::for_reader(row, form, &links)?.into_record()
}

/// The object without what differs by reader, for the event of a new message.
pub(crate) fn event_object(row: &MessageRow, links: &TopicLinks) -> Result<Record, ActionError> {
    let links = links.text(&row.topic)?;
    MessageObject::common(row, &links)?.into_record()
}

/// A list that is stored as JSON, or of which nothing is stored.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
enum StoredList<'a> {
    Stored(&'a RawValue),
    Empty([(); 0]),
}

impl<'a> StoredList<'a> {
    fn of(json: Option<&'a str>) -> Result<Self, ActionError> {
        json.map_or(Ok(Self::Empty([])), |json| stored(json).map(Self::Stored))
    }
}

/// Columns stored as JSON.
fn stored(json: &str) -> Result<&RawValue, ActionError> {
    serde_json::from_str(json).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> ActionError {
    ActionError::Internal(error.to_string())
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
