//! Makes the next part of a change of many messages that was acknowledged before all of it was made
//! (ADR 0029): a move, the deletion of what an account has sent, or marks on what was left unread.
//!
//! Called by a job again and again until nothing is left. A call is one short transaction.

use spindle_domain::RealmId;
use spindle_store::Connection;

use super::erase_sent::erase_next;
use super::read_left::read_next;
use super::update_message::move_next;
use crate::ActionError;

/// Makes one part at `now` (UNIX seconds); true when nothing is left to do.
pub fn finish_changes(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    Ok(!move_next(db, realm_id, now)?
        && !erase_next(db, realm_id, now)?
        && !read_next(db, realm_id, now)?)
}
