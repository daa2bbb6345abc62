//! Deletes a scheduled message (docs/protocol/scheduled.md#delete_scheduled_message).

use spindle_domain::ScheduledMessageId;
use spindle_events::kinds;
use spindle_store::{Connection, Freeing, scheduled_messages};

use super::missing;
use crate::{ActionError, Actor, change};

/// Deletes a message of the caller's that was not sent yet.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such message.
pub fn delete_scheduled_message(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    scheduled_message_id: ScheduledMessageId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !scheduled_messages::delete(tx, user_id, scheduled_message_id)? {
            return Err(missing());
        }
        let event = kinds::scheduled_messages_remove(user_id, scheduled_message_id);
        Ok(change::made((), event))
    })
}
