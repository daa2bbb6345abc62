//! Sending in steps, for what is sent later: where it may go when it is written, and the sending
//! itself as part of a larger change.

use spindle_domain::MessageId;
use spindle_events::Event;
use spindle_store::WriteTx;

use super::{Destination, MessageInput, Target, channel, deliver, direct};
use crate::messages::content::Content;
use crate::{ActionError, Actor};

/// A place that the sender may write to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CheckedPlace {
    /// A channel, with the topic as it is stored.
    Channel { channel_id: i64, topic: String },
    /// Ids of all people of the conversation, ascending, the sender included.
    People(Vec<i64>),
}

/// Checks where a message goes as if it were sent now; changes nothing.
///
/// # Errors
/// As for a message that is sent.
pub(crate) fn check_place(
    tx: &WriteTx<'_>,
    actor: &Actor,
    destination: &Destination,
    content: &Content,
) -> Result<CheckedPlace, ActionError> {
    match destination {
        Destination::Channel { channel, topic } => {
            let (channel_id, topic) = channel::check(tx, actor, channel, topic, content)?;
            Ok(CheckedPlace::Channel { channel_id, topic })
        }
        Destination::Direct(people) => {
            let (people, _) = direct::check(tx, actor, people)?;
            let ids = people.iter().map(|person| person.id).collect();
            Ok(CheckedPlace::People(ids))
        }
    }
}

/// Sends a message within the caller's transaction; returns its id and what clients are told.
///
/// # Errors
/// As for a message that is sent.
pub(crate) fn send_in(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    input: &MessageInput,
    content: &Content,
) -> Result<(MessageId, Vec<Event>), ActionError> {
    let target = target(tx, actor, &input.destination, content)?;
    deliver::write(tx, actor, now, input, content, &target)
}

/// Finds where a message goes; a conversation that is the people's first is created.
pub(super) fn target(
    tx: &WriteTx<'_>,
    actor: &Actor,
    destination: &Destination,
    content: &Content,
) -> Result<Target, ActionError> {
    match destination {
        Destination::Channel { channel, topic } => {
            channel::access_target(tx, actor, channel, topic, content)
        }
        Destination::Direct(people) => direct::access_target(tx, actor, people),
    }
}
