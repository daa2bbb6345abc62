//! Deletes invitations that have ended long ago.

use spindle_domain::limits::ENDED_INVITATION_SECS;
use spindle_store::{Connection, SilentReason, invitations};

use crate::{ActionError, change};

/// Deletes invitations that were used, revoked or have expired more than a month before `now`
/// (UNIX seconds); returns how many. Nothing is locked when there is nothing to delete.
pub fn clean_invitations(db: &dyn Connection, now: i64) -> Result<usize, ActionError> {
    let before = now - ENDED_INVITATION_SECS;
    if !invitations::any_ended_before(db, before)? {
        return Ok(0);
    }
    change::silently(db, SilentReason::Housekeeping, |tx| {
        let deleted = invitations::delete_ended_before(tx, before)?;
        Ok(deleted)
    })
}
