//! Reminders: a person lets the notification bot come back to a message at some time
//! (docs/protocol/scheduled.md#reminders).

mod create;
mod delete;
mod deliver;

pub use create::{ReminderInput, create_reminder};
pub use delete::delete_reminder;
pub use deliver::deliver_reminders;

use spindle_store::{Db, reminders};

use crate::{ActionError, Actor};

/// The caller's reminders as a JSON list, the next one first.
///
/// # Errors
/// [`ActionError::Store`].
pub fn list_reminders(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(reminders::records(db, actor.user_id)?)
}
