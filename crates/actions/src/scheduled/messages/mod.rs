//! Scheduled messages (docs/protocol/scheduled.md#scheduled-message,
//! docs/protocol/scheduled.md#edit_scheduled_message).

mod create;
mod delete;
mod deliver;
mod edit;

pub use create::{ScheduledInput, create_scheduled_message};
pub use delete::delete_scheduled_message;
pub use deliver::deliver_scheduled_messages;
pub use edit::{ScheduledChange, edit_scheduled_message};

use spindle_domain::UserId;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_store::scheduled_messages::{self, ScheduledRow};
use spindle_store::{Db, DbError, WriteTx, id_list};

use crate::messages::Destination;
use crate::messages::content::Content;
use crate::messages::send_message::{CheckedDestination, check_destination};
use crate::{ActionError, Actor};

/// The caller's scheduled messages as a JSON list, the one that is sent first coming first.
pub fn list_scheduled_messages(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(scheduled_messages::records(db, actor.user_id)?)
}

fn missing() -> ActionError {
    ActionError::NotFound("There is no such scheduled message".to_owned())
}

/// A message and where it is to go, checked as if it were sent now.
fn checked(
    tx: &WriteTx<'_>,
    actor: &Actor,
    destination: &Destination,
    content: &Content,
    row: ScheduledRow,
) -> Result<ScheduledRow, ActionError> {
    let destination = check_destination(tx, actor, destination, content)?;
    let (channel_id, recipients, topic) = match destination {
        CheckedDestination::Channel { channel_id, topic } => (Some(channel_id), None, topic),
        CheckedDestination::People(ids) => (None, Some(others(actor, &ids)), String::new()),
    };
    Ok(ScheduledRow {
        channel_id,
        recipients,
        topic,
        content: content.markdown.clone(),
        rendered_content: content.rendered.html.clone(),
        ..row
    })
}

/// The other people as a JSON list; the own id alone for a note to oneself.
fn others(actor: &Actor, ids: &[UserId]) -> String {
    let own_id = actor.user_id;
    let others: Vec<UserId> = ids.iter().copied().filter(|id| *id != own_id).collect();
    if others.is_empty() {
        return id_list([own_id]);
    }
    id_list(others)
}

/// Where a stored message goes.
fn destination(row: &ScheduledRow) -> Result<Destination, ActionError> {
    if let Some(id) = row.channel_id {
        return Ok(Destination::Channel {
            channel: ChannelReference::Id(id),
            topic: row.topic.clone(),
        });
    }
    let list = row.recipients.as_deref().ok_or(DbError::NoRow)?;
    let ids: Vec<UserId> =
        serde_json::from_str(list).map_err(|error| ActionError::Internal(error.to_string()))?;
    let people = ids.into_iter().map(UserReference::Id);
    Ok(Destination::Direct(people.collect()))
}
