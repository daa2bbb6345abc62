//! Unmutes a user.

use spindle_domain::UserId;
use spindle_store::{Connection, muted_users};

use super::list_event;
use crate::access::access_user::access_user;
use crate::{ActionError, Actor, change};

/// Unmutes `muted_user_id` for the caller.
///
/// # Errors
/// [`ActionError::Denied`] for a user whom the caller may not see;
/// [`ActionError::BadRequest`] for a user who is not muted.
pub fn unmute_user(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    muted_user_id: UserId,
) -> Result<(), ActionError> {
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        let muted = access_user(tx, actor, muted_user_id)?;
        if !muted_users::delete(tx, user_id, muted.id)? {
            return Err(ActionError::bad_request("You have not muted this user"));
        }
        let event = list_event(tx, user_id)?;
        Ok(change::made((), event))
    })
}
