//! Removes a linkifier (docs/protocol/linkifiers.md). Messages that were sent keep their links.

use spindle_domain::LinkifierId;
use spindle_store::{Connection, linkifiers};

use super::{missing, renew};
use crate::{ActionError, Actor, change};

/// Removes a linkifier at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] when there is none.
pub fn remove_linkifier(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    linkifier_id: LinkifierId,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        if !linkifiers::delete(tx, realm_id, linkifier_id)? {
            return Err(missing());
        }
        let event = renew(tx, actor, now, "linkifier_removed", Some(linkifier_id))?;
        Ok(change::made((), event))
    })
}
