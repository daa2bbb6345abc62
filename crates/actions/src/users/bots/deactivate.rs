//! Deactivates a bot (docs/protocol/bots.md#deactivate_bot).

use spindle_domain::UserId;
use spindle_store::{Connection, Freeing};

use super::access_bot;
use crate::account::manage_account::Change;
use crate::users::end_bot;
use crate::{ActionError, Actor};

/// Deactivates an active bot that the caller may change, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such bot for the caller.
pub fn deactivate_bot(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    bot_id: UserId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let bot = access_bot(change, bot_id)?.row;
        end_bot(change, &bot)
    })
}
