//! The one way to a message that a client names: it exists, and the caller may read it.

use spindle_domain::policy::{ChannelFacts, MessageAccessFacts, Reason, may_read_message};
use spindle_domain::{ChannelId, MessageId};
use spindle_store::messages::{self, MessageRow};
use spindle_store::{Db, channel_facts};

use crate::access::access_channel::facts;
use crate::{ActionError, Actor};

/// Finds a message (two statements, one for a direct message; protocol-facts 2.17).
///
/// # Errors
/// [`ActionError::Denied`] with the same reason whether it does not exist or is hidden.
pub(crate) fn access_message(
    db: &dyn Db,
    actor: &Actor,
    message_id: MessageId,
) -> Result<MessageRow, ActionError> {
    let (realm_id, user_id) = (actor.realm_id.get(), actor.user_id.get());
    let ids = spindle_store::id_list([message_id.get()]);
    let row = messages::by_ids(db, realm_id, user_id, &ids)?
        .pop()
        .ok_or(Reason::NoAccess)?;
    let channel = match row.channel_id {
        Some(id) => Some(channel_facts(db, actor, ChannelId(id))?),
        None => None,
    };
    let facts = MessageAccessFacts {
        role: actor.role,
        is_recipient: row.flags.is_some(),
        channel,
    };
    may_read_message(&facts).check()?;
    Ok(row)
}

fn channel_facts(
    db: &dyn Db,
    actor: &Actor,
    channel_id: ChannelId,
) -> Result<ChannelFacts, ActionError> {
    let (realm_id, user_id) = (actor.realm_id.get(), actor.user_id.get());
    let row = channel_facts::by_id(db, realm_id, user_id, "", channel_id.get())?
        .ok_or(Reason::NoAccess)?;
    Ok(facts(&row, actor.role))
}
