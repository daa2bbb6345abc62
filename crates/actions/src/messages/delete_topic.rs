//! Deletes the messages of a topic (docs/protocol/topics.md#delete_topic).
//!
//! A topic may hold more than one transaction should take, so it goes in batches, the newest
//! messages first; what one call does not manage is left to the next.

use serde_json::json;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{
    Age, DeleteMessageFacts, MessageAccessFacts, may_access_content, may_delete_message,
    may_read_message,
};
use spindle_domain::text::normalise_topic;
use spindle_domain::{MessageId, MoveId, permission};
use spindle_store::message_changes::TopicPart;
use spindle_store::message_moves::{self, Burden, NewTopic};
use spindle_store::{Connection, Freeing, Outcome, audit};

use super::erase::{Erased, erase};
use super::update_message::move_part;
use crate::access::access_channel::{access_channel, facts};
use crate::access::permissions::holds;
use crate::text::fold;
use crate::{ActionError, Actor, change};

/// Messages of one transaction, fewer where they were delivered to many.
const BATCH: usize = 100;
/// Messages of one call.
const MESSAGES: usize = 1000;
/// Transactions of one call: more than these messages need, unless they were delivered to many.
const BATCHES: usize = 20;
const BURDEN: Burden = Burden {
    changes_deliveries: true,
    given_to: None,
};

/// Deletes what the actor reads of a topic at `now` (UNIX seconds). Returns whether nothing is
/// left of it.
///
/// # Errors
/// `ClientError::StreamDoesNotExist` whether the channel does not exist or is hidden;
/// [`ActionError::Denied`] when the actor cannot read it or may not delete any message there.
pub fn delete_topic(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel: &ChannelReference,
    topic: &str,
) -> Result<bool, ActionError> {
    let db = &Freeing(db);
    let topic = normalise_topic(topic, crate::EMPTY_TOPIC_DISPLAY_NAME);
    let mut left = MESSAGES;
    for _ in 0..BATCHES {
        match delete_batch(db, actor, now, channel, &topic, left.min(BATCH))? {
            Batch::Done {
                is_complete: true, ..
            } => return Ok(true),
            Batch::Done { deleted, .. } => left = left.saturating_sub(deleted),
            Batch::Contested { move_id } => {
                move_part(db, actor.realm_id, now, move_id)?;
            }
        }
        if left == 0 {
            break;
        }
    }
    Ok(false)
}

/// What has become of one batch.
enum Batch {
    /// Messages were deleted, or none was left.
    Done { is_complete: bool, deleted: usize },
    /// Messages are being moved out of the topic or into it, which comes first.
    Contested { move_id: MoveId },
}

/// Deletes at most `most` messages in one transaction.
fn delete_batch(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel: &ChannelReference,
    topic: &str,
    most: usize,
) -> Result<Batch, ActionError> {
    let realm_id = actor.realm_id;
    change::part(db, realm_id, now, |tx| {
        let row = access_channel(tx, actor, channel, topic)?;
        let channel_facts = facts(&row, actor.role);
        may_access_content(actor.role, &channel_facts).check()?;
        let of_realm = permission!(REALM, "can_delete_any_message_group");
        let of_channel = permission!(CHANNEL, "can_delete_any_message_group");
        let deletion = DeleteMessageFacts {
            is_archived: row.is_archived,
            holds_delete_any: holds(of_realm, &row.realm_held, actor.role)
                || holds(of_channel, &row.held, actor.role),
            is_own: false,
            holds_delete_own: false,
            age: Age {
                seconds: 0,
                limit: None,
            },
        };
        may_delete_message(&deletion).check()?;
        let reading = MessageAccessFacts {
            role: actor.role,
            is_recipient: false,
            channel: Some(channel_facts),
        };
        let reads_everything = may_read_message(&reading).is_allowed();
        let mut part = TopicPart {
            channel_id: row.id,
            topic_folded: &fold(topic),
            first_id: MessageId::MIN,
            last_id: MessageId::MAX,
            only_received_by: (!reads_everything).then_some(actor.user_id),
        };
        let target = NewTopic {
            channel_id: row.id,
            topic_folded: &fold(topic),
        };
        let mut newest = message_moves::next_part(tx, &part, target, BURDEN, 0)?;
        // Skips messages that the actor does not read.
        while let (true, Some(rest)) = (newest.message_ids.is_empty(), newest.rest) {
            part.last_id = rest;
            newest = message_moves::next_part(tx, &part, target, BURDEN, 0)?;
        }
        // A pending move out of the topic or into it goes first.
        if let Some(move_id) = newest.contested_by {
            return Ok(Outcome::Unchanged(Batch::Contested { move_id }));
        }
        let mut message_ids = newest.message_ids;
        let left_over = message_ids.len().saturating_sub(most);
        message_ids.drain(..left_over);
        if message_ids.is_empty() {
            return Ok(Outcome::Unchanged(Batch::Done {
                is_complete: true,
                deleted: 0,
            }));
        }
        let erased = Erased {
            message_ids: &message_ids,
            place: Some((row.id, topic)),
        };
        let events = erase(tx, actor, now, &erased)?;
        let is_complete = left_over == 0 && newest.rest.is_none();
        audit::append(
            tx,
            realm_id,
            now,
            Some(actor.user_id),
            None,
            "topic_deleted",
            &json!({"stream_id": row.id, "topic": topic, "messages": message_ids.len()})
                .to_string(),
        )?;
        let deleted = message_ids.len();
        let done = Batch::Done {
            is_complete,
            deleted,
        };
        Ok(change::outcome(done, events))
    })
}
