//! Deactivates a bot (protocol-facts 5.6: DELETE /bots/{bot_id}).

use spindle_domain::UserId;
use spindle_store::Connection;

use super::access_bot;
use crate::account::manage_account::Change;
use crate::users::deactivate_user::{Deactivation, deactivate};
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
    let mut change = Change::begin(db, Some(actor), actor.realm_id.get(), now)?;
    let bot = access_bot(&change, bot_id)?.row;
    deactivate(&mut change, &bot, Deactivation::default())?;
    change.commit("a deactivation is always told")
}
