//! The access check for channels that a user writes to: before a message is sent, and before a
//! typing notification.
//!
//! A bot may write to the channels that its owner may write to.

use spindle_domain::errors::ClientError;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::permission;
use spindle_domain::policy::{SendFacts, may_send_to_channel};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::{Db, Json, group_settings, users};

use crate::access::access_channel::{access_channel, facts};
use crate::access::permissions::holds;
use crate::{ActionError, Actor};

/// What the caller sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// A message, which may start its topic.
    Message,
    /// A typing notification.
    Notice,
}

/// Finds the channel; `topic` as it would be stored. The permissions of the organization in the
/// row are the caller's own.
///
/// # Errors
/// [`ClientError::StreamDoesNotExist`], [`ActionError::Denied`].
pub(super) fn access_for_writing(
    db: &dyn Db,
    actor: &Actor,
    channel: &ChannelReference,
    topic: &str,
    writing: Writing,
) -> Result<ChannelFactsRow, ActionError> {
    let refusal = match access(db, actor, channel, topic, writing) {
        Err(
            refusal @ (ActionError::Client(ClientError::StreamDoesNotExist { .. })
            | ActionError::Denied(_)),
        ) => refusal,
        answer => return answer,
    };
    let Some(owner) = owner_of(db, actor)? else {
        return Err(refusal);
    };
    let mut row = access(db, &owner, channel, topic, writing).map_err(|_| refusal)?;
    row.realm_held = Json(group_settings::held_by(
        db,
        group_settings::Owner::Realm(actor.realm_id),
        actor.member(),
    )?);
    Ok(row)
}

fn access(
    db: &dyn Db,
    actor: &Actor,
    channel: &ChannelReference,
    topic: &str,
    writing: Writing,
) -> Result<ChannelFactsRow, ActionError> {
    let row = access_channel(db, actor, channel, topic)?;
    let holds = |permission| holds(permission, &row.held, actor.role);
    let starts_topic = writing == Writing::Message && !row.topic_exists;
    let facts = SendFacts {
        channel: facts(&row, actor.role),
        holds_send_permission: holds(permission!(CHANNEL, "can_send_message_group")),
        would_create_forbidden_topic: starts_topic
            && !holds(permission!(CHANNEL, "can_create_topic_group")),
    };
    may_send_to_channel(actor.role, &facts).check()?;
    Ok(row)
}

/// The active owner of a bot as an actor, with the fields that rules about channels read.
fn owner_of(db: &dyn Db, actor: &Actor) -> Result<Option<Actor>, ActionError> {
    let Some(owner_id) = actor.bot_owner_id.filter(|_| actor.is_bot) else {
        return Ok(None);
    };
    let owner = users::by_id(db, actor.realm_id, owner_id)?.filter(|row| row.is_active);
    Ok(owner.map(|owner| Actor {
        user_id: owner.id,
        role: owner.role,
        is_bot: false,
        ..actor.clone()
    }))
}
