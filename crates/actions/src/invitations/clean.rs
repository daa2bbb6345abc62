//! Deletes invitations that have ended long ago, and ends sponsorships of accounts that joined by invitation.

use spindle_domain::limits::{ENDED_INVITATION_SECS, SPONSORED_SECS};
use spindle_store::{Connection, SilentReason, invitations, sponsors};

use crate::{ActionError, change};

/// Deletes invitations that were used, revoked or have expired more than a month before `now`
/// (UNIX seconds); returns how many. Ends the sponsorships of accounts that joined [`SPONSORED_SECS`] before. Nothing is
/// locked when there is nothing to do.
pub fn clean_invitations(db: &dyn Connection, now: i64) -> Result<usize, ActionError> {
    let before = now - ENDED_INVITATION_SECS;
    let joined = now - SPONSORED_SECS;
    if !invitations::any_ended_before(db, before)? && !sponsors::any_before(db, joined)? {
        return Ok(0);
    }
    change::silently(db, SilentReason::Housekeeping, |tx| {
        sponsors::end_before(tx, joined)?;
        let deleted = invitations::delete_ended_before(tx, before)?;
        Ok(deleted)
    })
}
