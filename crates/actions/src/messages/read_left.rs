//! Marks what people had not read of channels that they have left, a part in a transaction (ADR 0029).
//!
//! The first part goes with the unsubscription, which notes what is left.

use spindle_events::kinds;
use spindle_store::{Connection, Emitted, WriteTx, unread_left};

use crate::{ActionError, emit};

/// Makes the next part at `now` (UNIX seconds); false when there is none.
///
/// # Errors
/// [`ActionError::Store`].
pub(crate) fn read_next(db: &dyn Connection, realm_id: i64, now: i64) -> Result<bool, ActionError> {
    // Most calls find nothing, and need not wait for their turn to write.
    if unread_left::first(db)?.is_none() {
        return Ok(false);
    }
    let tx = WriteTx::begin(db)?;
    let Some(left) = unread_left::first(&tx)? else {
        return Ok(false);
    };
    let ids = unread_left::read_more(&tx, left)?;
    let emitted = if ids.is_empty() {
        Emitted::Nothing("these messages were read or deleted meanwhile")
    } else {
        emit::events([kinds::update_message_flags_read(left.user_id, &ids)])
    };
    tx.commit(realm_id, now, emitted)?;
    Ok(true)
}
