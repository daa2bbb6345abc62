//! `delete_message`: one event for many messages, or one each for clients without
//! `bulk_message_deletion`.

use serde_json::{Value, json};
use spindle_domain::{ChannelId, MessageId};

use super::{EventType, name_empty_topic};
use crate::event::{FACTS, Record, record};
use crate::source::Source;
use crate::traits::Traits;
use crate::{Audience, Event};

/// Where the messages were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletedFrom {
    /// In a topic of a channel.
    Channel {
        stream_id: ChannelId,
        topic: String,
        /// `realm_empty_topic_display_name` at the time of the event.
        empty_topic_display_name: String,
    },
    /// In a direct conversation.
    Direct,
}

/// Messages were deleted, or the audience has lost access to them. `message_ids` are sorted
/// here. See docs/protocol/messages.md#delete_message.
#[must_use]
pub fn delete_message(message_ids: &[MessageId], from: DeletedFrom, audience: Audience) -> Event {
    let mut ids = message_ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let mut body = record([("message_ids", json!(ids))]);
    match from {
        DeletedFrom::Channel {
            stream_id,
            topic,
            empty_topic_display_name,
        } => {
            body.insert("message_type".into(), json!("stream"));
            body.insert("stream_id".into(), json!(stream_id));
            body.insert("topic".into(), json!(topic));
            let facts = json!({"empty_topic_display_name": empty_topic_display_name});
            body.insert(FACTS.into(), facts);
        }
        DeletedFrom::Direct => {
            body.insert("message_type".into(), json!("private"));
        }
    }
    Event::new("delete_message", body, audience)
}

pub(super) const KIND: EventType = EventType {
    name: "delete_message",
    traits: Traits::BULK_DELETION.union(Traits::EMPTY_TOPIC),
    convert: Some(convert),
};

fn convert(mut source: Source<'_>) -> Vec<Record> {
    name_empty_topic(&mut source, None, "topic");
    if source.has(Traits::BULK_DELETION) {
        return vec![source.body];
    }
    let Some(Value::Array(ids)) = source.body.remove("message_ids") else {
        return Vec::new();
    };
    ids.into_iter()
        .map(|id| {
            let mut single = source.body.clone();
            single.insert("message_id".into(), id);
            single
        })
        .collect()
}
