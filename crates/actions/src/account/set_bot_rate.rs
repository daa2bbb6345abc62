//! Sets how many requests a minute a single bot may send. Only the operator does it; the API has no
//! operation for it.

use std::ops::RangeInclusive;

use serde_json::json;
use spindle_domain::policy::may_administer_user;
use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, SilentReason, audit, users};

use crate::account::manage_account::access_account;
use crate::{ActionError, change};

/// Requests a minute that the operator can set for one bot.
pub const BOT_RATES: RangeInclusive<i64> = 1..=10_000_000;

/// Gives a bot a rate of its own at `now` (UNIX seconds); with none, it shares the rate of its owner's bots again.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account; [`ActionError::BadRequest`] for a person, and for a rate
/// outside of [`BOT_RATES`].
pub fn set_bot_rate(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    rate: Option<i64>,
) -> Result<(), ActionError> {
    if rate.is_some_and(|rate| !BOT_RATES.contains(&rate)) {
        return Err(ActionError::BadRequest(format!(
            "The rate of a bot must be from {} to {} requests a minute",
            BOT_RATES.start(),
            BOT_RATES.end()
        )));
    }
    change::silently(db, SilentReason::Credentials, |tx| {
        let user = access_account(tx, None, realm_id, user_id, may_administer_user)?.row;
        if !user.is_bot {
            return Err(ActionError::bad_request(
                "Only a bot can have a rate of its own; `rate_limit_user` holds for all people",
            ));
        }
        users::set_requests_per_minute(tx, user.id, rate)?;
        let data = json!({"requests_per_minute": rate}).to_string();
        let modified = Some(user.id);
        audit::append(tx, realm_id, now, None, modified, "bot_rate_changed", &data)?;
        Ok(())
    })
}
