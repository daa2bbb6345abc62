//! The topics of a channel (docs/protocol/topics.md#get_topics).

use spindle_domain::ChannelId;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::MAX_TOPICS_BYTES;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{MessageAccessFacts, may_access_content, may_read_message};
use spindle_store::{Db, topics};

use crate::access::access_channel::{access_channel, facts, without_code};
use crate::{ActionError, Actor};

/// The topics of a channel as a JSON list, newest first, as far as the caller may read its
/// history; `empty_topic` is the name shown for the empty topic.
///
/// # Errors
/// [`ActionError::BadRequest`] when the caller may not read the channel.
pub fn list_topics(
    db: &dyn Db,
    actor: &Actor,
    channel_id: ChannelId,
    empty_topic: &str,
) -> Result<String, ActionError> {
    let channel = ChannelReference::Id(channel_id);
    let row = access_channel(db, actor, &channel, "").map_err(without_code)?;
    let facts = facts(&row, actor.role);
    if !may_access_content(actor.role, &facts).is_allowed() {
        return Err(without_code(
            ClientError::StreamDoesNotExist { channel }.into(),
        ));
    }
    let not_received = MessageAccessFacts {
        role: actor.role,
        is_recipient: false,
        channel: Some(facts),
    };
    let received_by = (!may_read_message(&not_received).is_allowed()).then_some(actor.user_id);
    Ok(topics::list(
        db,
        row.id,
        received_by,
        empty_topic,
        MAX_TOPICS_BYTES,
    )?)
}
