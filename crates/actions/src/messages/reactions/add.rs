//! Adds a reaction to a message (docs/protocol/messages.md#add_reaction).

use spindle_domain::MessageId;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::quotas::Quota;
use spindle_events::{Event, kinds};
use spindle_store::reactions::{self, ReactionRow};
use spindle_store::{Connection, WriteTx, id_list, message_flags, quotas};

use super::{ReactionInput, access, events, spellings};
use crate::app_events::note_reaction;
use crate::messages::auto_follow::{Topic, after_participating};
use crate::organization::emoji_reference::{check_known, complete, custom_code};
use crate::{ActionError, Actor, change, quota};

/// Adds the caller's reaction. To a message that was never delivered to the caller, it is
/// delivered now, as read and `historical`.
///
/// # Errors
/// [`ActionError::Denied`] for a message that the caller may not read or that is in an archived
/// channel; [`ActionError::BadRequest`] for an emoji that cannot be used, and for one too
/// many of the caller's on the message;
/// [`ClientError::ReactionAlreadyExists`].
pub fn add_reaction(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    input: &ReactionInput,
) -> Result<(), ActionError> {
    change::emitting(db, actor.realm_id, now, |tx| {
        let events = add_in(tx, actor, now, message_id, input)?;
        change::made_in_steps((), events)
    })
}

/// As [`add_reaction`], within the caller's transaction; returns the events. Only the error about the quota
/// occurs after something has changed.
///
/// # Errors
/// As [`add_reaction`].
pub(crate) fn add_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    input: &ReactionInput,
) -> Result<Vec<Event>, ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    let name = input.emoji_name.as_deref().unwrap_or_default();
    let message = access(tx, actor, message_id)?;
    let custom = custom_code(tx, realm_id, name)?;
    let (code, kind) = (input.emoji_code.as_deref(), input.reaction_type.as_deref());
    let mut emoji = complete(name, code, kind, custom.as_deref())?;
    let types = spellings(&emoji.kind);
    match reactions::find(tx, message.id, &emoji.code, &types, user_id)? {
        Some(present) if present.is_own => {
            return Err(ClientError::ReactionAlreadyExists.into());
        }
        Some(present) => {
            emoji.name = present.emoji_name;
            emoji.kind = present.reaction_type;
        }
        None => check_known(&emoji, custom.as_deref())?,
    }
    let row = ReactionRow {
        user_id,
        emoji_name: emoji.name,
        emoji_code: emoji.code,
        reaction_type: emoji.kind,
    };
    reactions::insert(tx, message.id, &row)?;
    let count = quotas::count_reactions(tx, message.id, user_id)?;
    quota::within(Quota::Reactions, count)?;
    note_reaction(tx, actor, now, &message, &row.emoji_name, true)?;
    if message.flags.is_none() {
        message_flags::deliver_late(tx, user_id, &id_list([message.id]))?;
    }
    let added = events(tx, actor, &message, &row, kinds::reaction_add)?;
    let mut all = match message.channel_id {
        Some(channel_id) => {
            let topic = Topic {
                channel_id,
                name: &message.topic,
                message_id: message.id,
            };
            after_participating(tx, actor, now, topic)?
        }
        None => Vec::new(),
    };
    all.extend(added);
    Ok(all)
}
