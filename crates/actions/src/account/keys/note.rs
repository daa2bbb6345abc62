//! Notes that a key is used, at most once an hour.

use spindle_domain::limits::SESSION_NOTED_SECONDS;
use spindle_store::keys::KeyCaller;
use spindle_store::{Connection, SilentReason, keys};

use crate::{ActionError, Actor, change};

/// Whether it is time to note the use of a key.
pub(crate) fn is_due(found: &KeyCaller, now: i64) -> bool {
    found
        .last_used
        .is_none_or(|last_used| last_used < noted_before(now))
}

/// Notes that the caller's key is used at `now` (UNIX seconds), unless another request was first.
pub fn note_key_use(db: &dyn Connection, actor: &Actor, now: i64) -> Result<(), ActionError> {
    let Some(key_id) = actor.key_id else {
        return Ok(());
    };
    change::silently(db, SilentReason::Credentials, |tx| {
        keys::note_use(tx, key_id, now, noted_before(now))?;
        Ok(())
    })
}

fn noted_before(now: i64) -> i64 {
    now.saturating_sub(SESSION_NOTED_SECONDS)
}
