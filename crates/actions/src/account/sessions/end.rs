//! Ends sessions: one, all others, or all.

use spindle_domain::{SessionId, UserId};
use spindle_events::credentials_ended;
use spindle_store::{
    Changed, Connection, Freeing, WriteTx, address_changes, audit, sessions, sign_in_links,
};

use crate::{ActionError, Actor, change};

/// Ends a session of the caller's at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such session.
pub fn end_session(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    session_id: SessionId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !sessions::delete(tx, user_id, session_id)? {
            return Err(ActionError::NotFound("You have no such session".to_owned()));
        }
        ended(tx, actor, now, "user_session_ended")
    })
}

/// Ends all sessions of the caller but the one of this request, at `now` (UNIX seconds); with an API
/// key all of them.
pub fn end_other_sessions(db: &dyn Connection, actor: &Actor, now: i64) -> Result<(), ActionError> {
    let db = &Freeing(db);
    change::emitting(db, actor.realm_id, now, |tx| {
        sessions::delete_others(tx, actor.user_id, actor.session_id)?;
        ended(tx, actor, now, "user_sessions_ended")
    })
}

/// The step that ends all sessions of an account but `keep`, and deletes its links, which another person may
/// hold.
pub(crate) fn end_all(
    tx: &WriteTx<'_>,
    user_id: UserId,
    keep: Option<SessionId>,
) -> Result<(), ActionError> {
    sessions::delete_others(tx, user_id, keep)?;
    sign_in_links::delete_of_user(tx, user_id)?;
    address_changes::delete_of_user(tx, user_id)?;
    Ok(())
}

/// Records the end in the audit log and notifies polls that wait in these sessions.
fn ended(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
    what: &'static str,
) -> Result<Changed<()>, ActionError> {
    let (realm_id, own) = (actor.realm_id, Some(actor.user_id));
    audit::append(tx, realm_id, now, own, own, what, "{}")?;
    Ok(change::made((), credentials_ended(actor.user_id)))
}
