//! Delivers the reminders that are due, as messages of the notification bot.
//!
//! Names in it are resolved for its reader, who wrote the note. A late reminder is delivered, not failed. Deactivated
//! users get none.

use spindle_events::kinds;
use spindle_store::reminders::{self, DueReminder};
use spindle_store::{Connection, Outcome, keys};

use super::super::DELIVERED_AT_ONCE;
use crate::messages::send_message::{Notice, Wording, send_notice};
use crate::{ActionError, Actor, change};

/// Delivers some of what is due at `now` (UNIX seconds), people taking turns; returns whether nothing was due.
pub fn deliver_reminders(db: &dyn Connection, now: i64) -> Result<bool, ActionError> {
    let due = reminders::due(db, now, DELIVERED_AT_ONCE)?;
    for reminder in &due {
        deliver(db, now, reminder)?;
    }
    Ok(due.is_empty())
}

fn deliver(db: &dyn Connection, now: i64, reminder: &DueReminder) -> Result<(), ActionError> {
    let Some(owner) = keys::caller_by_id(db, reminder.user_id)? else {
        return Ok(());
    };
    change::if_needed(db, owner.realm_id, now, |tx| {
        if !owner.is_active || owner.realm_deactivated {
            reminders::set_failed(tx, reminder.id, "the account is deactivated")?;
            return Ok(Outcome::Unchanged(()));
        }
        if !reminders::delete(tx, reminder.user_id, reminder.id)? {
            return Ok(Outcome::Unchanged(()));
        }
        let owner = Actor::from_row(owner.clone());
        let mut wording = Wording::default();
        wording.repeat(reminder.content.as_str(), &owner);
        let notice = Notice::to_person(reminder.user_id, wording);
        let (_, mut events) = send_notice(tx, owner.realm_id, now, &notice)?;
        events.push(kinds::reminders_remove(reminder.user_id, reminder.id));
        Ok(change::outcome((), events))
    })
}
