//! Marks unread messages of channels that their readers have left as read, a part in a transaction
//! (ADR 0029).
//!
//! The first part runs with the unsubscription, which stores how much is left.

use spindle_domain::RealmId;
use spindle_events::kinds;
use spindle_store::{Connection, Outcome, unread_left};

use crate::{ActionError, change};

/// Makes the next part at `now` (UNIX seconds); false when there is none.
///
/// # Errors
/// [`ActionError`] when the database fails; the part is then undone.
pub fn read_next(db: &dyn Connection, realm_id: RealmId, now: i64) -> Result<bool, ActionError> {
    // Most calls find nothing, and need not wait for the write lock.
    if unread_left::first(db)?.is_none() {
        return Ok(false);
    }
    change::part(db, realm_id, now, |tx| {
        let Some(left) = unread_left::first(tx)? else {
            return Ok(Outcome::Unchanged(false));
        };
        let ids = unread_left::read_more(tx, left)?;
        // `None` means that they were read or deleted in between.
        let event = (!ids.is_empty()).then(|| kinds::update_message_flags_read(left.user_id, &ids));
        Ok(change::outcome(true, event))
    })
}
