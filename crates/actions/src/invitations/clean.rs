//! Forgets invitations that have ended long ago.

use spindle_domain::limits::ENDED_INVITATION_SECS;
use spindle_store::{Connection, Emitted, WriteTx, invitations};

use crate::ActionError;

/// Deletes invitations that were used, revoked or have expired more than a month before `now`
/// (UNIX seconds); returns how many. Nothing is locked when there is nothing to delete.
///
/// # Errors
/// [`ActionError::Store`].
pub fn clean_invitations(
    db: &dyn Connection,
    realm_id: i64,
    now: i64,
) -> Result<usize, ActionError> {
    let before = now - ENDED_INVITATION_SECS;
    if !invitations::any_ended_before(db, before)? {
        return Ok(0);
    }
    let tx = WriteTx::begin(db)?;
    let deleted = invitations::delete_ended_before(&tx, before)?;
    let reason = "nobody is shown what has ended";
    tx.commit(realm_id, now, Emitted::Nothing(reason))?;
    Ok(deleted)
}
