//! Marks everything, a channel or a topic as read (docs/protocol/flags.md).
//!
//! In parts, each a transaction of its own. The event with `all` is emitted with the last part, in the
//! transaction that makes it true.

use spindle_domain::errors::ClientError;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::{Reason, may_access_content};
use spindle_domain::text::normalise_topic;
use spindle_domain::{ChannelId, MessageId, UserId};
use spindle_events::{Event, kinds};
use spindle_store::message_flags::{self, Unread};
use spindle_store::{Connection, Db, WriteTx};

use super::PART;
use crate::access::access_channel::{access_channel, facts, without_code};
use crate::text::fold;
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME, change};

/// Most parts of one call; a client with more unread messages calls again.
const MOST_PARTS: usize = 50;

/// Marks everything as read; false when there was too much for one call.
pub fn mark_all_as_read(db: &dyn Connection, actor: &Actor, now: i64) -> Result<bool, ActionError> {
    for _ in 0..MOST_PARTS {
        if read_part(db, actor, now, Unread::Everything)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Marks a channel as read.
///
/// # Errors
/// [`ActionError::BadRequest`] when the caller may not read it.
pub fn mark_channel_as_read(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
) -> Result<(), ActionError> {
    let id = access(db, actor, channel_id).map_err(without_code)?;
    while !read_part(db, actor, now, Unread::Channel(id))? {}
    Ok(())
}

/// Marks a topic as read.
///
/// # Errors
/// [`ClientError::StreamDoesNotExist`] when the caller may not read the channel;
/// [`ActionError::Denied`] when none of the topic's messages was delivered to them.
pub fn mark_topic_as_read(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    channel_id: ChannelId,
    topic: &str,
) -> Result<(), ActionError> {
    let id = access(db, actor, channel_id)?;
    let topic = fold(&normalise_topic(topic, EMPTY_TOPIC_DISPLAY_NAME));
    if !message_flags::has_topic(db, actor.user_id, id, &topic)? {
        return Err(Reason::NoAccess.into());
    }
    while !read_part(db, actor, now, Unread::Topic(id, &topic))? {}
    Ok(())
}

/// Marks the messages of one sender as read that a first part has left unread.
pub(crate) fn mark_sender_as_read(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    sender_id: UserId,
) -> Result<(), ActionError> {
    while !read_part(db, actor, now, Unread::From(sender_id))? {}
    Ok(())
}

/// Marks the first messages of one sender as read; returns the event, and whether more may be left.
pub(crate) fn read_first_of_sender(
    tx: &WriteTx<'_>,
    user_id: UserId,
    sender_id: UserId,
) -> Result<(Option<Event>, bool), ActionError> {
    let unread = Unread::From(sender_id);
    let (ids, is_last) = read_ids(tx, user_id, unread)?;
    Ok((event(user_id, unread, &ids, is_last), !is_last))
}

/// A channel whose messages the caller may read.
fn access(db: &dyn Db, actor: &Actor, channel_id: ChannelId) -> Result<ChannelId, ActionError> {
    let channel = ChannelReference::Id(channel_id);
    let row = access_channel(db, actor, &channel, "")?;
    if !may_access_content(actor.role, &facts(&row, actor.role)).is_allowed() {
        return Err(ClientError::StreamDoesNotExist { channel }.into());
    }
    Ok(row.id)
}

/// Marks one part; true when nothing is left.
fn read_part(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    unread: Unread<'_>,
) -> Result<bool, ActionError> {
    let user_id = actor.user_id;
    change::if_needed(db, actor.realm_id, now, |tx| {
        let (ids, is_last) = read_ids(tx, user_id, unread)?;
        Ok(change::outcome(
            is_last,
            event(user_id, unread, &ids, is_last),
        ))
    })
}

/// Marks one part; the ids, and whether nothing is left.
fn read_ids(
    tx: &WriteTx<'_>,
    user_id: UserId,
    unread: Unread<'_>,
) -> Result<(Vec<MessageId>, bool), ActionError> {
    let ids = message_flags::read_some(tx, user_id, unread, PART)?;
    let is_last = i64::try_from(ids.len()).unwrap_or(i64::MAX) < PART;
    Ok((ids, is_last))
}

fn event(user_id: UserId, unread: Unread<'_>, ids: &[MessageId], is_last: bool) -> Option<Event> {
    if unread == Unread::Everything && is_last {
        return Some(kinds::update_message_flags_all_read(user_id));
    }
    (!ids.is_empty()).then(|| kinds::update_message_flags_read(user_id, ids))
}
