//! Deletes a reminder (protocol-facts 5.4: DELETE /reminders/{id}).

use spindle_events::kinds;
use spindle_store::{Connection, WriteTx, reminders};

use crate::{ActionError, Actor, emit};

/// Deletes a reminder of the caller's.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such reminder.
pub fn delete_reminder(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    reminder_id: i64,
) -> Result<(), ActionError> {
    let user_id = actor.user_id.get();
    let tx = WriteTx::begin(db)?;
    if !reminders::delete(&tx, user_id, reminder_id)? {
        return Err(ActionError::NotFound(
            "There is no such reminder".to_owned(),
        ));
    }
    let event = kinds::reminders_remove(user_id, reminder_id);
    tx.commit(actor.realm_id.get(), now, emit::events([event]))?;
    Ok(())
}
