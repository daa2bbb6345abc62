//! Authentication by the token of a session: one statement, as with a key.

use spindle_domain::limits::SESSION_NOTED_SECONDS;
use spindle_store::{Db, sessions};

use super::expired_before;
use crate::account::authenticate::{Authenticated, check_account};
use crate::account::secrets;
use crate::actor::session_seconds;
use crate::{ActionError, Actor};

/// Finds the account behind the token of a session at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::WrongCredentials`]; `ClientError::UserDeactivated` and
/// `ClientError::RealmDeactivated` only with a valid token.
pub fn authenticate_session(
    db: &dyn Db,
    token: &str,
    now: i64,
) -> Result<Authenticated, ActionError> {
    let hash = secrets::hash_api_key(token);
    let lives = |last_used: i64, realm_settings: &str| {
        last_used >= expired_before(now, session_seconds(realm_settings))
    };
    let found = sessions::caller_by_hash(db, &hash)?
        .filter(|found| secrets::is_equal(&found.caller.hash, &hash))
        .filter(|found| lives(found.last_used, &found.caller.realm_settings))
        .ok_or(ActionError::WrongCredentials)?;
    check_account(&found.caller)?;
    let mut actor = Actor::from_row(found.caller);
    actor.session_id = Some(found.session_id);
    Ok(Authenticated {
        actor,
        is_renewal_due: found.last_used < noted_before(now),
    })
}

/// The address of whose session this is, folded, if it is any's: guesses of a password are counted by
/// it. Whether the session is still valid is not checked.
pub fn name_in_session(db: &dyn Db, token: &str) -> Result<Option<String>, ActionError> {
    let found = sessions::caller_by_hash(db, &secrets::hash_api_key(token))?;
    Ok(found.map(|found| found.caller.delivery_email_folded))
}

/// A use is noted when the one before was before this.
pub(super) fn noted_before(now: i64) -> i64 {
    now.saturating_sub(SESSION_NOTED_SECONDS)
}
