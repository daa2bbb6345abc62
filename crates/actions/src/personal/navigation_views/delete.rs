//! Removes a navigation view (docs/protocol/personal.md#remove_navigation_view).

use spindle_events::kinds;
use spindle_store::{Connection, navigation_views};

use super::missing;
use crate::{ActionError, Actor, change};

/// Removes a view of the caller's; for a built-in one, their choices about it.
///
/// # Errors
/// [`ActionError::NotFound`] when the caller has no such view.
pub fn delete_navigation_view(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    fragment: &str,
) -> Result<(), ActionError> {
    let user_id = actor.user_id;
    change::emitting(db, actor.realm_id, now, |tx| {
        if !navigation_views::delete(tx, user_id, fragment)? {
            return Err(missing());
        }
        let event = kinds::navigation_view_remove(user_id, fragment);
        Ok(change::made((), event))
    })
}
