//! Limits how often an account learns that a name or an address is taken by something that it cannot see
//! (docs/protocol/limits.md#rate-limits).
//!
//! Names of channels and addresses are unique, so an answer has to say that one is taken. The limit is asked
//! before that answer, and each such answer is an entry of the audit log, which is where it is counted.

use spindle_domain::UserId;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::HIDDEN_NAME_TRIES;
use spindle_domain::rates::wait;
use spindle_store::{Connection, Db, Unseen, audit};

use crate::{ActionError, Actor, change};

/// Checks that the caller may have an answer that depends on a hidden name, at `now` (UNIX seconds).
///
/// # Errors
/// [`ClientError::RateLimitHit`].
pub(crate) fn admit(db: &dyn Db, actor: &Actor, now: i64) -> Result<(), ActionError> {
    let times = times(db, actor, now)?;
    wait(HIDDEN_NAME_TRIES, &times, now).map_or(Ok(()), |seconds| Err(too_often(seconds)))
}

/// Counts `number` names of one request that are taken by something hidden. When more are left than the limit
/// allows, all that is left of it is used up.
///
/// # Errors
/// [`ClientError::RateLimitHit`] when the limit does not allow so many.
pub(crate) fn count(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    number: usize,
) -> Result<(), ActionError> {
    // The entries stay when the answer is a refusal, so the result of the change holds that.
    change::silently(db, Unseen::Housekeeping, |tx| {
        let mut times = times(tx, actor, now)?;
        for _ in 0..number {
            if let Some(seconds) = wait(HIDDEN_NAME_TRIES, &times, now) {
                return Ok(Err(too_often(seconds)));
            }
            let (realm_id, account) = (actor.realm_id, Some(account(actor)));
            audit::append(tx, realm_id, now, account, None, "hidden_name_tried", "{}")?;
            times.insert(0, now);
        }
        Ok(Ok(()))
    })?
}

fn times(db: &dyn Db, actor: &Actor, now: i64) -> Result<Vec<i64>, ActionError> {
    let longest = HIDDEN_NAME_TRIES.iter().map(|(_, window)| window).max();
    let since = now - longest.copied().unwrap_or_default();
    Ok(audit::hidden_names_tried(db, account(actor), since)?)
}

/// The bots of a person try with them.
fn account(actor: &Actor) -> UserId {
    actor.bot_owner_id.unwrap_or(actor.user_id)
}

fn too_often(seconds: i64) -> ActionError {
    ClientError::RateLimitHit {
        retry_after: seconds as f64,
    }
    .into()
}
