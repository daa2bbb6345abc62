//! Typing notifications: a user has begun or ceased to write a message
//! (docs/protocol/presence.md#set_typing_status).
//!
//! Nothing is stored but the event. Users who have switched typing notifications off are left out;
//! the writer receives the event too, for their other devices.

use spindle_domain::limits::MAX_TYPING_CHANNEL_SUBSCRIBERS;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::text::normalise_topic;
use spindle_domain::{ChannelId, KnownSetting, UserId, UserSetting, user_setting};
use spindle_events::kinds::{self, TypingTo, TypingUser};
use spindle_events::{Audience, Event};
use spindle_store::user_lists::RecipientRow;
use spindle_store::{Connection, Db, id_list, typing};

use super::send_message::check_direct;
use super::sending_access::{Writing, access_for_writing};
use crate::access::hidden_senders::{group_by_sight, placeholder_email};
use crate::{ActionError, Actor, EMPTY_TOPIC_DISPLAY_NAME, change};

/// What the user does.
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

/// The conversation in which a user writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypingDestination {
    /// People; the writer may be left out.
    Direct(Vec<UserId>),
    /// A topic of a channel, as the client sent it.
    Channel(ChannelId, String),
}

/// Emits a typing notification at `now` (UNIX seconds); none in channels with more than a hundred
/// subscribers (docs/protocol/limits.md#requests).
///
/// # Errors
/// [`ActionError::BadRequest`] when the caller has switched such notifications off, or for
/// recipients that do not exist; `ClientError::StreamDoesNotExist` and [`ActionError::Denied`] where the caller
/// may not write.
pub fn set_typing_status(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    operation: TypingOperation,
    to: &TypingDestination,
) -> Result<(), ActionError> {
    let mut named = vec![(actor.user_id, actor.is_bot)];
    let (to, listeners) = match to {
        TypingDestination::Channel(channel_id, topic) => {
            check_channel_notices(actor)?;
            channel(db, actor, *channel_id, topic)?
        }
        TypingDestination::Direct(people) => {
            check_direct_notices(actor)?;
            let (participants, listeners) = direct(db, actor, people)?;
            named.extend(participants.iter().map(|row| (row.id, row.is_bot)));
            let participants = participants.into_iter().map(|row| TypingUser {
                user_id: row.id,
                email: row.email,
            });
            (TypingTo::Direct(participants.collect()), listeners)
        }
    };
    for (hidden, listeners) in group_by_sight(db, actor.realm_id, &named, listeners)? {
        let shown = |mut user: TypingUser| {
            if hidden.contains(&user.user_id) {
                user.email = placeholder_email(user.user_id);
            }
            user
        };
        let sender = shown(TypingUser {
            user_id: actor.user_id,
            email: actor.email.clone(),
        });
        let to = match to.clone() {
            TypingTo::Direct(people) => TypingTo::Direct(people.into_iter().map(shown).collect()),
            channel => channel,
        };
        emit(db, actor, now, listeners, |audience| {
            kinds::typing(operation.name(), sender, to, audience)
        })?;
    }
    Ok(())
}

/// Checks that the caller sends typing notifications in channels.
pub(super) fn check_channel_notices(actor: &Actor) -> Result<(), ActionError> {
    check_notices(actor, user_setting!("send_stream_typing_notifications"))
}

/// Checks that the caller sends typing notifications in direct messages.
pub(super) fn check_direct_notices(actor: &Actor) -> Result<(), ActionError> {
    check_notices(actor, user_setting!("send_private_typing_notifications"))
}

fn check_notices(actor: &Actor, setting: UserSetting) -> Result<(), ActionError> {
    if actor.settings().is_on(setting) {
        return Ok(());
    }
    let text = format!("The setting {} is switched off", setting.row().name);
    Err(ActionError::BadRequest(text))
}

/// The subscribers of a channel who receive typing notifications.
pub(super) fn listeners_in(db: &dyn Db, channel_id: ChannelId) -> Result<Vec<UserId>, ActionError> {
    let limit = MAX_TYPING_CHANNEL_SUBSCRIBERS;
    let listeners = typing::listeners_in(db, channel_id, limit)?;
    Ok(listeners.into_iter().collect())
}

/// Those in a JSON list of ids who receive typing notifications in direct messages.
pub(super) fn listeners_among(db: &dyn Db, ids: &str) -> Result<Vec<UserId>, ActionError> {
    let listeners = typing::listeners_among(db, ids)?;
    Ok(listeners.into_iter().collect())
}

/// Emits the event, unless there are no listeners.
pub(super) fn emit(
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
        stream_id: row.id,
        topic,
        empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME.to_owned(),
    };
    Ok((to, listeners_in(db, row.id)?))
}

fn direct(
    db: &dyn Db,
    actor: &Actor,
    people: &[UserId],
) -> Result<(Vec<RecipientRow>, Vec<UserId>), ActionError> {
    let people: Vec<UserReference> = people.iter().copied().map(UserReference::Id).collect();
    let (found, _) = check_direct(db, actor, &people)?;
    let listeners = listeners_among(db, &id_list(found.iter().map(|row| row.id)))?;
    Ok((found, listeners))
}
