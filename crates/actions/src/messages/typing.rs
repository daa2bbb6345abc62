//! Tells the others that somebody writes a message, or has ceased to
//! (docs/protocol/presence.md#set_typing_status).
//!
//! Nothing is kept but the event. Whoever does not want to be told is left out; the writer is
//! told as everybody else, for the sake of their other devices.

use spindle_domain::limits::MAX_TYPING_CHANNEL_SUBSCRIBERS;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::text::normalise_topic;
use spindle_domain::{ChannelId, UserId};
use spindle_events::kinds::{self, TypingTo, TypingUser};
use spindle_events::{Audience, Event};
use spindle_store::{Connection, Db, id_list, typing};

use super::recipients::access_recipients;
use super::sending_access::{Writing, access_for_writing};
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME, change};

/// Whether somebody writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypingOperation {
    /// They have begun.
    Start,
    /// They have ceased.
    Stop,
}

impl TypingOperation {
    /// The name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
        }
    }
}

/// Whom somebody writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypingDestination {
    /// People; the writer may be left out.
    Direct(Vec<UserId>),
    /// A topic of a channel, as the client sent it.
    Channel(ChannelId, String),
}

/// Tells the others at `now` (UNIX seconds). In channels with more than a hundred subscribers
/// nobody is told (docs/protocol/limits.md#requests).
///
/// # Errors
/// [`ActionError::BadRequest`] when the caller has switched such notices off, or for recipients
/// that are none; `ClientError::StreamDoesNotExist` and [`ActionError::Denied`] where the caller
/// may not write.
pub fn set_typing_status(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    operation: TypingOperation,
    to: &TypingDestination,
) -> Result<(), ActionError> {
    let (to, listeners) = match to {
        TypingDestination::Channel(channel_id, topic) => {
            check_channel_notices(actor)?;
            channel(db, actor, *channel_id, topic)?
        }
        TypingDestination::Direct(people) => {
            check_direct_notices(actor)?;
            direct(db, actor, people)?
        }
    };
    tell(db, actor, now, listeners, |audience| {
        let sender = TypingUser {
            user_id: actor.user_id,
            email: actor.email.clone(),
        };
        kinds::typing(operation.name(), sender, to, audience)
    })
}

/// Whether the caller lets others know in channels.
pub(super) fn check_channel_notices(actor: &Actor) -> Result<(), ActionError> {
    check_notices(actor, "send_stream_typing_notifications")
}

/// Whether the caller lets others know in direct messages.
pub(super) fn check_direct_notices(actor: &Actor) -> Result<(), ActionError> {
    check_notices(actor, "send_private_typing_notifications")
}

fn check_notices(actor: &Actor, setting: &str) -> Result<(), ActionError> {
    if actor.settings().is_on(setting) {
        return Ok(());
    }
    let text = format!("The setting {setting} is switched off");
    Err(ActionError::BadRequest(text))
}

/// The subscribers of a channel who are told of a writer.
pub(super) fn listeners_in(db: &dyn Db, channel_id: ChannelId) -> Result<Vec<UserId>, ActionError> {
    let limit = MAX_TYPING_CHANNEL_SUBSCRIBERS;
    Ok(typing::listeners_in(db, channel_id, limit)?)
}

/// Emits the event, unless nobody listens: then there is nothing to write.
pub(super) fn tell(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    listeners: Vec<UserId>,
    event: impl FnOnce(Audience) -> Event,
) -> Result<(), ActionError> {
    if listeners.is_empty() {
        return Ok(());
    }
    let event = event(Audience::users(listeners));
    change::emitting(db, actor.realm_id, now, |_| {
        Ok(change::made((), event.clone()))
    })
}

fn channel(
    db: &dyn Db,
    actor: &Actor,
    channel_id: ChannelId,
    topic: &str,
) -> Result<(TypingTo, Vec<UserId>), ActionError> {
    let topic = normalise_topic(topic, EMPTY_TOPIC_DISPLAY_NAME);
    let channel = ChannelReference::Id(channel_id);
    let row = access_for_writing(db, actor, &channel, &topic, Writing::Notice)?;
    let to = TypingTo::Channel {
        stream_id: row.id.into(),
        topic,
        empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
    };
    Ok((to, listeners_in(db, row.id.into())?))
}

fn direct(
    db: &dyn Db,
    actor: &Actor,
    people: &[UserId],
) -> Result<(TypingTo, Vec<UserId>), ActionError> {
    let people: Vec<UserReference> = people.iter().copied().map(UserReference::Id).collect();
    let found = access_recipients(db, actor, &people)?;
    let listeners = typing::listeners_among(db, &id_list(found.iter().map(|row| row.id)))?;
    let everybody = found.into_iter().map(|row| TypingUser {
        user_id: row.id,
        email: row.email,
    });
    Ok((TypingTo::Direct(everybody.collect()), listeners))
}
