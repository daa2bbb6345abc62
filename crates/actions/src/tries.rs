//! Limits how often an account may find out that something hidden has a name or an address
//! (docs/protocol/limits.md#rate-limits).
//!
//! Channel names and addresses are unique, so the server must say when one is taken. It checks the limit before that
//! answer, and counts such answers in the audit log.

use spindle_domain::UserId;
use spindle_domain::errors::ClientError;
use spindle_domain::limits::HIDDEN_NAME_TRIES;
use spindle_domain::rates::wait;
use spindle_store::{Connection, Db, SilentReason, audit};

use crate::{ActionError, Actor, change};

/// Checks the limit at `now` (UNIX seconds), before an answer that depends on a hidden name.
///
/// # Errors
/// [`ClientError::RateLimitHit`].
pub(crate) fn admit(db: &dyn Db, actor: &Actor, now: i64) -> Result<(), ActionError> {
    let times = times(db, actor, now)?;
    wait(HIDDEN_NAME_TRIES, &times, now).map_or(Ok(()), |seconds| Err(too_often(seconds)))
}

/// Counts `number` hidden names in one request. If that exceeds the limit, the whole remainder is used up.
///
/// # Errors
/// [`ClientError::RateLimitHit`] when the limit does not allow that many.
pub(crate) fn count(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    number: usize,
) -> Result<(), ActionError> {
    // The entries must be committed even for a refusal, so the refusal is the value of the change.
    change::silently(db, SilentReason::Housekeeping, |tx| {
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

/// Bots count with their owner.
fn account(actor: &Actor) -> UserId {
    actor.bot_owner_id.unwrap_or(actor.user_id)
}

fn too_often(seconds: i64) -> ActionError {
    ClientError::RateLimitHit {
        retry_after: seconds as f64,
    }
    .into()
}
