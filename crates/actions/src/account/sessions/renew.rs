//! Notes that a session is used, which moves its end: at most once an hour.

use spindle_store::{Connection, Emitted, WriteTx, sessions};

use super::authenticate::noted_before;
use crate::{ActionError, Actor};

/// Moves the end of the caller's session, which is used at `now` (UNIX seconds). Returns whether it has
/// moved: not where another request was first, or the session is over by now.
///
/// # Errors
/// [`ActionError::Store`].
pub fn renew_session(db: &dyn Connection, actor: &Actor, now: i64) -> Result<bool, ActionError> {
    let Some(session_id) = actor.session_id else {
        return Ok(false);
    };
    let tx = WriteTx::begin(db)?;
    let is_renewed = sessions::renew(&tx, session_id, now, noted_before(now))?;
    let reason = "when a session was used is shown to its owner only, who asks for it";
    tx.commit(actor.realm_id.get(), now, Emitted::Nothing(reason))?;
    Ok(is_renewed)
}
