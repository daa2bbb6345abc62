//! Who calls, by the token of a session: one statement, as with a key.
//!
//! That a session is used is written at most once an hour; only then is anything written.

use spindle_domain::limits::SESSION_NOTED_SECONDS;
use spindle_store::{Db, DbError, Emitted, WriteTx, sessions};

use super::expired_before;
use crate::account::authenticate::{check_account, record_first_login};
use crate::account::secrets;
use crate::{ActionError, Actor};

/// The caller of a request with a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InSession {
    /// The account, which knows its session.
    pub actor: Actor,
    /// Whether the session's end has moved, so that the cookie's end is to move too.
    pub is_renewed: bool,
}

/// Finds the account behind the token of a session at `now` (UNIX seconds). `is_use`: the session's end
/// is to move with this request.
///
/// # Errors
/// [`ActionError::WrongCredentials`]; [`ActionError::UserDeactivated`] and
/// [`ActionError::RealmDeactivated`] only to who holds a right token.
pub fn authenticate_session(
    db: &dyn Db,
    token: &str,
    now: i64,
    is_use: bool,
) -> Result<InSession, ActionError> {
    let hash = secrets::hash_api_key(token);
    let found = sessions::caller_by_hash(db, &hash)?
        .filter(|found| secrets::is_equal(&found.caller.hash, &hash))
        .filter(|found| found.last_used >= expired_before(now))
        .ok_or(ActionError::WrongCredentials)?;
    check_account(&found.caller)?;
    let is_first_login = found.caller.last_login.is_none();
    let mut actor = Actor::from_row(found.caller)?;
    actor.session_id = Some(found.session_id);
    let noted_before = now.saturating_sub(SESSION_NOTED_SECONDS);
    let is_renewed = is_use && found.last_used < noted_before;
    if is_renewed {
        let realm_id = actor.realm_id.get();
        unless_full(renew(db, realm_id, found.session_id, now, noted_before))?;
    }
    // A full disk may have kept the sign-in from being noted.
    if is_use && is_first_login {
        unless_full(record_first_login(db, &mut actor, now))?;
    }
    Ok(InSession { actor, is_renewed })
}

/// The address of whose session this is, folded, if it is any's: guesses of a password are counted by
/// it. Whether the session is good for a request is not asked.
///
/// # Errors
/// [`ActionError::Store`].
pub fn name_in_session(db: &dyn Db, token: &str) -> Result<Option<String>, ActionError> {
    let found = sessions::caller_by_hash(db, &secrets::hash_api_key(token))?;
    Ok(found.map(|found| found.caller.delivery_email_folded))
}

fn renew(
    db: &dyn Db,
    realm_id: i64,
    session_id: i64,
    now: i64,
    before: i64,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    sessions::renew(&tx, session_id, now, before)?;
    let reason = "when a session was used is shown to its owner only, who asks for it";
    tx.commit(realm_id, now, Emitted::Nothing(reason))?;
    Ok(())
}

/// A full disk keeps nobody from reading: a later request is noted.
fn unless_full(done: Result<(), ActionError>) -> Result<(), ActionError> {
    match done {
        Err(ActionError::Store(DbError::Full(_))) => Ok(()),
        done => done,
    }
}
