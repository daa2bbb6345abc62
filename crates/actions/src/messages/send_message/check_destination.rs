//! Checks the destination of a message that will be sent later. Nothing is sent or changed here.

use spindle_domain::{ChannelId, UserId};
use spindle_store::{DbError, WriteTx, channel_facts};

use super::{Destination, channel, direct};
use crate::messages::content::Content;
use crate::{ActionError, Actor};

/// A destination that the sender may write to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CheckedDestination {
    /// A channel.
    Channel {
        channel_id: ChannelId,
        /// As stored.
        topic: String,
    },
    /// Ids of all people of the conversation, ascending, the sender included.
    People(Vec<UserId>),
}

/// Checks where a message goes as if it were sent now; changes nothing.
///
/// # Errors
/// As for a message that is sent.
pub(crate) fn check_destination(
    tx: &WriteTx<'_>,
    actor: &Actor,
    destination: &Destination,
    content: &Content,
) -> Result<CheckedDestination, ActionError> {
    match destination {
        Destination::Channel { channel, topic } => {
            let target = channel::access_recipient(tx, actor, channel, topic, content)?;
            let channel = target.channel.ok_or(DbError::NoRow)?;
            Ok(CheckedDestination::Channel {
                channel_id: channel.id,
                topic: channel.topic,
            })
        }
        Destination::Direct(people) => {
            let (people, _) = direct::check(tx, actor, people)?;
            let ids = people.iter().map(|person| person.id).collect();
            Ok(CheckedDestination::People(ids))
        }
    }
}

/// A new topic of a message that was checked for its channel: in its stored form, if the channel's
/// policy of topics allows it (docs/protocol/scheduled.md#edit_scheduled_message).
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(crate) fn check_topic(
    tx: &WriteTx<'_>,
    actor: &Actor,
    channel_id: ChannelId,
    topic: &str,
) -> Result<String, ActionError> {
    let topic = channel::printable_topic(topic)?;
    let row = channel_facts::by_id(tx, actor.realm_id, actor.member(), "", channel_id)?
        .ok_or(DbError::NoRow)?;
    channel::check_topic_policy(&row, actor, &topic)?;
    Ok(topic)
}
