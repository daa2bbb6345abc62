//! New recovery codes in place of the earlier ones.

use spindle_store::{Connection, SilentReason, audit, second_factors};

use super::proof::{Factor, pass_as_caller};
use super::{announce, codes};
use crate::{ActionError, Actor, change};

/// Makes new recovery codes for the caller at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] without a second factor; otherwise as a sign-in with a code.
pub fn renew_recovery_codes(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    factor: Factor<'_>,
) -> Result<Vec<String>, ActionError> {
    pass_as_caller(db, actor, now, factor)?;
    let (shown, hashes) = codes::recovery_codes()?;
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::silently(db, SilentReason::Credentials, |tx| {
        second_factors::replace_recovery_codes(tx, user_id, &hashes)?;
        let own = Some(user_id);
        let kind = "user_recovery_codes_made";
        audit::append(tx, realm_id, now, own, own, kind, "{}")?;
        announce(tx, (realm_id, user_id), now, "recovery_codes_made")
    })?;
    Ok(shown)
}
