//! Removes a reaction from a message (docs/protocol/messages.md#remove_reaction).

use spindle_domain::errors::ClientError;
use spindle_domain::{MessageId, RealmId};
use spindle_events::{Event, kinds};
use spindle_store::reactions::{self, ReactionRow};
use spindle_store::{Connection, Db, WriteTx};

use super::{ReactionInput, access, events};
use crate::app_events::note_reaction;
use crate::organization::emoji_reference::{EXTRA_EMOJI_TYPES, complete, custom_code};
use crate::{ActionError, Actor, change};

/// The type that a code alone is of.
const DEFAULT_TYPE: &str = "unicode_emoji";

/// Removes the caller's reaction, identified by its code, or by its name without one.
///
/// # Errors
/// [`ActionError::Denied`] for a message that the caller may not read or that is in an archived
/// channel; [`ActionError::BadRequest`] without name and code, or for a name that no emoji has;
/// [`ClientError::ReactionDoesNotExist`].
pub fn remove_reaction(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    input: &ReactionInput,
) -> Result<(), ActionError> {
    change::emitting(db, actor.realm_id, now, |tx| {
        let events = remove_in(tx, actor, now, message_id, input)?;
        change::made_in_steps((), events)
    })
}

/// As [`remove_reaction`], within the caller's transaction; returns the events. An error occurs before anything changes.
///
/// # Errors
/// As [`remove_reaction`].
pub(crate) fn remove_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    message_id: MessageId,
    input: &ReactionInput,
) -> Result<Vec<Event>, ActionError> {
    let message = access(tx, actor, message_id)?;
    let own = reactions::of_user(tx, message.id, actor.user_id)?;
    let row = chosen(tx, actor.realm_id, &own, input)?;
    reactions::delete(tx, message.id, row)?;
    note_reaction(tx, actor, now, &message, &row.emoji_name, false)?;
    events(tx, actor, &message, row, kinds::reaction_remove)
}

/// Which of the caller's reactions is meant.
fn chosen<'r>(
    db: &dyn Db,
    realm_id: RealmId,
    own: &'r [ReactionRow],
    input: &ReactionInput,
) -> Result<&'r ReactionRow, ActionError> {
    let kind = input.reaction_type.as_deref();
    let is_of = |row: &&ReactionRow, kind: &str| {
        row.reaction_type == kind
            || EXTRA_EMOJI_TYPES.contains(&kind)
                && EXTRA_EMOJI_TYPES.contains(&row.reaction_type.as_str())
    };
    if let Some(code) = &input.emoji_code {
        let kind = kind.unwrap_or(DEFAULT_TYPE);
        let found = own
            .iter()
            .find(|row| row.emoji_code == *code && is_of(row, kind));
        return found.ok_or(ClientError::ReactionDoesNotExist.into());
    }
    let name = input
        .emoji_name
        .as_deref()
        .ok_or_else(|| ActionError::bad_request("Name the emoji by emoji_name or emoji_code"))?;
    // By the name that it has on the message: the emoji may be out of use since.
    let named =
        |row: &&ReactionRow| row.emoji_name == name && kind.is_none_or(|kind| is_of(row, kind));
    if let Some(row) = own.iter().find(named) {
        return Ok(row);
    }
    let custom = custom_code(db, realm_id, name)?;
    let emoji = complete(name, None, kind, custom.as_deref())?;
    own.iter()
        .find(|row| row.emoji_code == emoji.code && is_of(row, &emoji.kind))
        .ok_or(ClientError::ReactionDoesNotExist.into())
}
