//! Deletes a reminder (docs/protocol/scheduled.md#delete_reminder).

use spindle_domain::ReminderId;
use spindle_events::kinds;
use spindle_store::{Connection, Freeing, reminders};

use crate::{ActionError, Actor, change};

/// Deletes a reminder of the caller's.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such reminder.
pub fn delete_reminder(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    reminder_id: ReminderId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !reminders::delete(tx, user_id, reminder_id)? {
            return Err(ActionError::NotFound(
                "There is no such reminder".to_owned(),
            ));
        }
        let event = kinds::reminders_remove(user_id, reminder_id);
        Ok(change::made((), event))
    })
}
