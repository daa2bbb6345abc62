//! Emoji reactions to messages (docs/protocol/emoji.md#codes, docs/protocol/messages.md#reactions).
//!
//! Type and code identify an emoji: a later reaction takes over the name and the spelling that are stored, also when
//! the emoji can no longer be added.

mod add;
mod remove;

pub(crate) use add::add_in;
pub use add::add_reaction;
pub(crate) use remove::remove_in;
pub use remove::remove_reaction;

use serde_json::json;
use spindle_domain::MessageId;
use spindle_domain::policy::Reason;
use spindle_events::{Audience, Event, kinds};
use spindle_store::Db;
use spindle_store::messages::MessageRow;
use spindle_store::reactions::ReactionRow;

use super::readers::Readers;
use crate::access::access_message::access_message_in_place;
use crate::access::hidden_senders::{UNKNOWN_NAME, placeholder_email, split_by_sight};
use crate::organization::emoji_reference::EXTRA_EMOJI_TYPES;
use crate::{ActionError, Actor};

/// How a client names an emoji.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReactionInput {
    /// Name, canonical or alias.
    pub emoji_name: Option<String>,
    /// `None` means the code of the emoji with this name.
    pub emoji_code: Option<String>,
    /// `None` means the type of the emoji with this name.
    pub reaction_type: Option<String>,
}

/// Finds a message that may be reacted to: one that the caller reads, not in an archived channel.
fn access(db: &dyn Db, actor: &Actor, message_id: MessageId) -> Result<MessageRow, ActionError> {
    let found = access_message_in_place(db, actor, message_id)?;
    if found.is_archived() {
        return Err(Reason::ChannelArchived.into());
    }
    Ok(found.message)
}

/// The spellings of an emoji type as a JSON list.
fn spellings(kind: &str) -> String {
    if EXTRA_EMOJI_TYPES.contains(&kind) {
        json!(EXTRA_EMOJI_TYPES).to_string()
    } else {
        json!([kind]).to_string()
    }
}

/// The event for all users who may read the message; another one for those of them who may not see the caller, whom old
/// clients receive with the event.
fn events(
    db: &dyn Db,
    actor: &Actor,
    message: &MessageRow,
    row: &ReactionRow,
    event: fn(kinds::Reaction, Audience) -> Event,
) -> Result<Vec<Event>, ActionError> {
    let ids = [message.id];
    let readers = match message.channel_id {
        Some(id) => Readers::of_channel(db, actor.realm_id, id, &ids, &[])?,
        None => Readers::of_direct(db, &ids)?,
    };
    let users = readers
        .groups()
        .flat_map(|(_, users)| users.iter().copied());
    let (seeing, others) = split_by_sight(db, actor, users.collect())?;
    let shown = as_event(actor, message.id, row);
    let mut events = Vec::new();
    if !others.is_empty() {
        let hidden = kinds::Reaction {
            email: placeholder_email(actor.user_id),
            full_name: UNKNOWN_NAME.to_owned(),
            ..shown.clone()
        };
        events.push(event(hidden, Audience::users(others)));
    }
    events.push(event(shown, Audience::users(seeing)));
    Ok(events)
}

/// A reaction of the actor, for its event.
fn as_event(actor: &Actor, message_id: MessageId, row: &ReactionRow) -> kinds::Reaction {
    kinds::Reaction {
        user_id: row.user_id,
        email: actor.email.clone(),
        full_name: actor.full_name.clone(),
        message_id,
        emoji_name: row.emoji_name.clone(),
        emoji_code: row.emoji_code.clone(),
        reaction_type: row.reaction_type.clone(),
    }
}
