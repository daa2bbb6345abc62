//! Notes that a session is used, which moves its end: at most once an hour.

use spindle_store::{Connection, SilentReason, sessions};

use super::authenticate::noted_before;
use crate::{ActionError, Actor, change};

/// Moves the end of the caller's session, which is used at `now` (UNIX seconds). Returns whether it has
/// moved: not where another request was first, or the session is over by now.
pub fn renew_session(db: &dyn Connection, actor: &Actor, now: i64) -> Result<bool, ActionError> {
    let Some(session_id) = actor.session_id else {
        return Ok(false);
    };
    change::silently(db, SilentReason::Credentials, |tx| {
        let is_renewed = sessions::renew(tx, session_id, now, noted_before(now))?;
        Ok(is_renewed)
    })
}
