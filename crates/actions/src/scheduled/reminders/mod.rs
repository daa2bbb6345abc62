//! Reminders: the notification bot writes to a person about a message, at a time that they have chosen
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
pub fn list_reminders(db: &dyn Db, actor: &Actor) -> Result<String, ActionError> {
    Ok(reminders::records(db, actor.user_id)?)
}
