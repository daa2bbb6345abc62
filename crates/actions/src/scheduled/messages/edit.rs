//! Edits a scheduled message (docs/protocol/scheduled.md#edit_scheduled_message, whose order of
//! checks is kept).

use serde_json::Value;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{ChannelId, ScheduledMessageId, UserId};
use spindle_events::kinds;
use spindle_store::Connection;
use spindle_store::scheduled_messages::{self, ScheduledRow};

use super::super::check_time;
use super::{checked, destination, missing};
use crate::json_record::parse_record;
use crate::messages::Destination;
use crate::messages::content::Content;
use crate::messages::send_message::check_topic;
use crate::quota::Meter;
use crate::{ActionError, Actor, change};

/// What to change; `None` leaves a value unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduledChange {
    /// `type`: whether it becomes a message to a channel.
    pub to_channel: Option<bool>,
    /// `to`, to be understood by the type that the message has or gets.
    pub to: Option<Value>,
    /// Markdown.
    pub content: Option<String>,
    /// As the client sent it.
    pub topic: Option<String>,
    /// `scheduled_delivery_timestamp`: UNIX seconds.
    pub deliver_at: Option<i64>,
    /// Name of the client.
    pub client: String,
    /// Base URL of the organization without trailing slash.
    pub realm_url: String,
}

impl ScheduledChange {
    /// Checks that need nothing but the request, in their order.
    fn check(&self, now: i64) -> Result<(), ActionError> {
        let Self {
            to_channel,
            to,
            content,
            topic,
            deliver_at,
            ..
        } = self;
        if to_channel.is_none()
            && to.is_none()
            && content.is_none()
            && topic.is_none()
            && deliver_at.is_none()
        {
            return Err(ActionError::bad_request("There is nothing to change"));
        }
        if to_channel.is_some() && to.is_none() {
            return Err(ActionError::bad_request("A new type requires a new \"to\""));
        }
        if *to_channel == Some(true) && topic.is_none() {
            return Err(ActionError::bad_request(
                "A message to a channel needs a topic",
            ));
        }
        deliver_at.map_or(Ok(()), |time| check_time(time, now))
    }

    /// Whether it is checked as if it were sent now; a new time or topic alone is not.
    fn is_rewritten(&self) -> bool {
        self.to_channel.is_some() || self.to.is_some() || self.content.is_some()
    }

    /// Where the message goes after the change.
    fn destination(&self, row: &ScheduledRow) -> Result<Destination, ActionError> {
        let to_channel = self.to_channel.unwrap_or(row.channel_id.is_some());
        match (&self.to, destination(row)?) {
            (Some(to), _) if to_channel => Ok(Destination::Channel {
                channel: channel(to)?,
                topic: self.topic.clone().unwrap_or_else(|| row.topic.clone()),
            }),
            (Some(to), _) => Ok(Destination::Direct(people(to)?)),
            (None, Destination::Channel { channel, topic }) => Ok(Destination::Channel {
                channel,
                topic: self.topic.clone().unwrap_or(topic),
            }),
            (None, direct) => Ok(direct),
        }
    }
}

/// Changes a message of the caller's that was not sent yet, at `now` (UNIX seconds). A message
/// whose delivery failed is tried again.
///
/// # Errors
/// [`ActionError::BadRequest`] when nothing is to change, something that belongs to it lacks, or
/// the time has passed; [`ActionError::NotFound`] when the caller has no such message; and all
/// errors of sending a message.
pub fn edit_scheduled_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    scheduled_message_id: ScheduledMessageId,
    change: &ScheduledChange,
) -> Result<(), ActionError> {
    change.check(now)?;
    let user_id = actor.user_id;
    let row = scheduled_messages::find(db, user_id, scheduled_message_id)?.ok_or_else(missing)?;
    if row.failed && change.deliver_at.is_none() {
        check_time(now, now)?;
    }
    let rewritten = change
        .is_rewritten()
        .then(|| {
            let text = change.content.as_deref().unwrap_or(&row.content);
            let content = Content::prepare(db, actor, text, &change.realm_url)?;
            Ok::<_, ActionError>((change.destination(&row)?, content))
        })
        .transpose()?;
    change::emitting(db, actor.realm_id, now, |tx| {
        // It may have been sent or changed in between.
        let mut row = scheduled_messages::find(tx, user_id, scheduled_message_id)?
            .filter(|found| *found == row)
            .ok_or_else(missing)?;
        row.deliver_at = change.deliver_at.unwrap_or(row.deliver_at);
        if let Some((destination, content)) = &rewritten {
            row.client.clone_from(&change.client);
            row.realm_url.clone_from(&change.realm_url);
            row = checked(tx, actor, destination, content, row)?;
        } else if let (Some(channel_id), Some(topic)) = (row.channel_id, &change.topic) {
            row.topic = check_topic(tx, actor, channel_id, topic)?;
        }
        let text = Meter::start(tx, Quota::ScheduledText, user_id)?;
        let record = scheduled_messages::replace(tx, user_id, scheduled_message_id, &row)?;
        text.check(tx)?;
        let event = kinds::scheduled_messages_update(user_id, parse_record(&record)?);
        Ok(change::made((), event))
    })
}

/// The id of a channel; names are not understood here.
fn channel(to: &Value) -> Result<ChannelReference, ActionError> {
    to.as_i64()
        .map(|id| ChannelReference::Id(ChannelId(id)))
        .ok_or_else(|| ActionError::bad_request("\"to\" is not the id of a channel"))
}

/// Ids of people; addresses are not understood here.
fn people(to: &Value) -> Result<Vec<UserReference>, ActionError> {
    let person = |id: &Value| Some(UserReference::Id(UserId(id.as_i64()?)));
    let people: Option<Vec<UserReference>> = to
        .as_array()
        .and_then(|list| list.iter().map(person).collect());
    people.ok_or_else(|| ActionError::bad_request("\"to\" is not a list of user ids"))
}
