//! Puts the linkifiers into another order (docs/protocol/linkifiers.md).

use spindle_domain::LinkifierId;
use spindle_store::{Connection, Outcome, linkifiers};

use super::renew;
use crate::{ActionError, Actor, change};

/// Orders the list as `ids` does, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] unless every linkifier is named exactly once.
pub fn reorder_linkifiers(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    ids: &[LinkifierId],
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let current = linkifiers::ids(tx, realm_id)?;
        let sorted = |ids: &[LinkifierId]| {
            let mut ids = ids.to_vec();
            ids.sort_unstable();
            ids
        };
        if sorted(ids) != sorted(&current) {
            return Err(ActionError::bad_request(
                "ordered_linkifier_ids has to name every linkifier exactly once",
            ));
        }
        if ids == current {
            return Ok(Outcome::Unchanged(()));
        }
        // Not through `id_list`, which sorts.
        let list = serde_json::json!(ids).to_string();
        linkifiers::reorder(tx, realm_id, &list)?;
        let event = renew(tx, actor, now, "linkifiers_reordered", None)?;
        Ok(change::outcome((), [event]))
    })
}
