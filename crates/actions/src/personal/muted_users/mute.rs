//! Mutes a user.

use spindle_domain::UserId;
use spindle_store::{Connection, muted_users};

use super::list_event;
use crate::access::access_user::access_user;
use crate::messages::{mark_sender_as_read, read_first_of_sender};
use crate::{ActionError, Actor, change};

/// Mutes `muted_user_id` for the caller at `now` (UNIX seconds): their unread messages become read,
/// and their new ones arrive as read.
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
        return Err(ActionError::bad_request("You cannot mute yourself"));
    }
    let user_id = actor.user_id;
    let more_is_unread = change::emitting(db, actor.realm_id, now, |tx| {
        let muted = access_user(tx, actor, muted_user_id)?;
        if !muted_users::insert(tx, user_id, muted.id, now)? {
            return Err(ActionError::bad_request("You have already muted this user"));
        }
        let (read, more_is_unread) = read_first_of_sender(tx, user_id, muted.id)?;
        let list = list_event(tx, user_id)?;
        let read = read.into_iter().collect();
        Ok(change::made_after(more_is_unread, read, list))
    })?;
    if more_is_unread {
        mark_sender_as_read(db, actor, now, muted_user_id)?;
    }
    Ok(())
}
