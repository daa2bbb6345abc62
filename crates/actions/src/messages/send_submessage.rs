//! Adds a submessage: a vote in a poll, a task of a to-do list
//! (docs/protocol/messages.md#send_submessage).
//!
//! The first one makes the message a poll or to-do list, so only the sender of the message adds it.

use spindle_domain::MessageId;
use spindle_domain::widget::{SubmessageProblem, WIDGET, WidgetKind, check_submessage};
use spindle_events::{Audience, kinds};
use spindle_store::messages::MessageRow;
use spindle_store::submessages::{self, NewSubmessage};
use spindle_store::{Connection, WriteTx};

use super::auto_follow::{self, Topic};
use super::readers::Readers;
use crate::access::access_message::access_message_in_place;
use crate::app_events::note_vote;
use crate::{ActionError, Actor, change, quota};

/// Adds `content` (JSON text) to a message at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] for a message that does not exist or may not be read,
/// [`ActionError::BadRequest`] when it is in an archived channel, when the content makes no
/// sense for it, when only its sender may do that, or when there are too many.
pub fn send_submessage(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    content: &str,
) -> Result<(), ActionError> {
    change::emitting(db, actor.realm_id, now, |tx| {
        let accessed = access_message_in_place(tx, actor, message_id)?;
        if accessed.is_archived() {
            return Err(ActionError::bad_request("The channel is archived"));
        }
        let message = accessed.message;
        check(tx, actor, &message, content)?;
        let new = NewSubmessage {
            message_id: message.id,
            sender_id: actor.user_id,
            msg_type: WIDGET,
            content,
        };
        let submessage_id = submessages::insert(tx, &new)?;
        quota::check_submessages(tx, actor, message.id, content.len())?;
        let event = kinds::Submessage {
            submessage_id,
            message_id: message.id,
            sender_id: actor.user_id,
            msg_type: WIDGET.to_owned(),
            content: content.to_owned(),
        };
        let events = match message.channel_id {
            Some(channel_id) => {
                let topic = Topic {
                    channel_id,
                    name: &message.topic,
                    message_id: message.id,
                };
                auto_follow::after_participating(tx, actor, now, topic)?
            }
            None => Vec::new(),
        };
        note_vote(tx, actor, now, &message, content)?;
        let audience = readers(tx, actor, &message)?;
        let added = kinds::submessage(event, audience);
        Ok(change::made_after((), events, added))
    })
}

fn check(
    tx: &WriteTx<'_>,
    actor: &Actor,
    message: &MessageRow,
    content: &str,
) -> Result<(), ActionError> {
    let is_sender = message.sender_id == actor.user_id;
    let first = submessages::first(tx, message.id)?;
    let kind = first.as_deref().and_then(WidgetKind::of);
    let by_nobody_else = first.is_none() && !is_sender;
    let checked = check_submessage(kind, content, is_sender);
    let problem = match checked {
        _ if by_nobody_else => SubmessageProblem::OnlyBySender,
        Ok(()) => return Ok(()),
        Err(problem) => problem,
    };
    Err(ActionError::bad_request(match problem {
        SubmessageProblem::NotJson => "The content is no JSON, or longer than 10000 characters",
        SubmessageProblem::Unprintable => "The content holds a character that cannot be printed",
        SubmessageProblem::Meaningless => "The content is nothing that can be done here",
        SubmessageProblem::OnlyBySender => "Only the sender of the message may do that",
    }))
}

/// All users who may read the message, the actor included.
fn readers(tx: &WriteTx<'_>, actor: &Actor, message: &MessageRow) -> Result<Audience, ActionError> {
    let ids = [message.id];
    let readers = match message.channel_id {
        Some(channel_id) => {
            let further = [actor.user_id];
            Readers::of_channel(tx, actor.realm_id, channel_id, &ids, &further)?
        }
        None => Readers::of_direct(tx, &ids)?,
    };
    let users = readers
        .groups()
        .flat_map(|(_, users)| users.iter().copied());
    Ok(Audience::users(users))
}
