//! Mutes a user.

use spindle_domain::UserId;
use spindle_store::{Connection, muted_users};

use super::list_event;
use crate::access::access_user::access_user;
use crate::{ActionError, Actor, change};

/// Mutes `muted_user_id` for the caller at `now` (UNIX seconds): what they send from now on
/// arrives as read.
///
/// # Errors
/// [`ActionError::BadRequest`] for oneself and for a user who is muted already;
/// [`ActionError::Denied`] for a user whom the caller may not see.
pub fn mute_user(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    muted_user_id: UserId,
) -> Result<(), ActionError> {
    if actor.user_id == muted_user_id {
        return Err(ActionError::bad_request("Nobody can mute themselves"));
    }
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        let muted = access_user(tx, actor, muted_user_id)?;
        if !muted_users::insert(tx, user_id, muted.id, now)? {
            return Err(ActionError::bad_request("You have muted this user already"));
        }
        let event = list_event(tx, user_id)?;
        Ok(change::made((), event))
    })
}
