//! Removes a linkifier (protocol-facts 5.8). Messages that were sent keep their links.

use spindle_store::{Connection, WriteTx, linkifiers};

use super::{commit_change, missing};
use crate::{ActionError, Actor};

/// Removes a linkifier at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] when there is none.
pub fn remove_linkifier(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    linkifier_id: i64,
) -> Result<(), ActionError> {
    let tx = WriteTx::begin(db)?;
    if !linkifiers::delete(&tx, actor.realm_id.get(), linkifier_id)? {
        return Err(missing());
    }
    commit_change(tx, actor, now, "linkifier_removed", Some(linkifier_id))
}
