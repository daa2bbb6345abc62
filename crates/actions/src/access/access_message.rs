//! Finds a message that a client has named, and checks that the caller may read it. Every action finds
//! messages here, so that a hidden one answers like a missing one.

use spindle_domain::MessageId;
use spindle_domain::policy::{MessageAccessFacts, Reason, may_read_message};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::group_settings::{self, Owner};
use spindle_store::messages::{self, MessageRow};
use spindle_store::{Db, channel_facts};

use crate::access::access_channel::facts;
use crate::{ActionError, Actor};

/// Finds a message (two statements, one for a direct message;
/// docs/protocol/messages.md#content-access).
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist or is hidden.
pub(crate) fn access_message(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
) -> Result<MessageRow, ActionError> {
    Ok(access_message_in_place(db, actor, message_id)?.message)
}

/// As [`access_message`], with reactions and submessages. They can be a megabyte, so only callers that show them read
/// them.
///
/// # Errors
/// As [`access_message`].
pub(crate) fn access_whole_message(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
) -> Result<MessageRow, ActionError> {
    let ids = spindle_store::id_list([message_id]);
    let row = messages::by_ids(db, actor.realm_id, actor.user_id, &ids)?.pop();
    Ok(check(db, actor, row)?.message)
}

/// A message that the caller may read, with what rules about changing it ask for.
pub(crate) struct AccessedMessage {
    /// The message, with the caller's flags.
    pub(crate) message: MessageRow,
    /// Its channel; `None` for a direct message.
    pub(crate) channel: Option<ChannelFactsRow>,
}

impl AccessedMessage {
    /// Whether it is in an archived channel, where nothing changes.
    pub(crate) fn is_archived(&self) -> bool {
        let channel = self.channel.as_ref();
        channel.is_some_and(|channel| channel.is_archived)
    }

    /// Names of the permissions of the organization that the caller's groups hold; a further
    /// statement for a direct message.
    pub(crate) fn realm_held(
        &self,
        db: &dyn Db,
        actor: &Actor,
    ) -> Result<Vec<String>, ActionError> {
        match &self.channel {
            Some(channel) => Ok(channel.realm_held.0.clone()),
            None => Ok(group_settings::held_by(
                db,
                Owner::Realm(actor.realm_id),
                actor.member(),
            )?),
        }
    }
}

/// As [`access_message`], for callers who want to change the message.
///
/// # Errors
/// As [`access_message`].
pub(crate) fn access_message_in_place(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
) -> Result<AccessedMessage, ActionError> {
    let row = messages::bare(db, actor.realm_id, actor.user_id, message_id)?;
    check(db, actor, row)
}

fn check(
    db: &dyn Db,
    actor: &Actor,
    row: Option<MessageRow>,
) -> Result<AccessedMessage, ActionError> {
    let message = row.ok_or(Reason::NoAccess)?;
    let channel = match message.channel_id {
        Some(id) => {
            let row = channel_facts::by_id(db, actor.realm_id, actor.member(), "", id)?;
            Some(row.ok_or(Reason::NoAccess)?)
        }
        None => None,
    };
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient: message.flags.is_some(),
        channel: channel.as_ref().map(|row| facts(row, actor.role)),
    };
    may_read_message(&facts).check()?;
    Ok(AccessedMessage { message, channel })
}
