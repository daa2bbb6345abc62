//! Limits how often a caller may find out that a hidden channel has the name of a new one.

use serde_json::json;
use spindle_domain::policy::may_see_channel;
use spindle_store::Connection;
use spindle_store::channel_facts::{self, ChannelFactsRow};

use crate::access::access_channel::facts;
use crate::{ActionError, Actor, tries};

/// Counts how many of `names` (folded, distinct) belong to channels that are hidden from the caller, at `now` (UNIX
/// seconds). Guests are not counted: they cannot create channels, so every name is refused alike.
///
/// # Errors
/// `ClientError::RateLimitHit` once the caller has hit too many hidden names; free names are then refused as well.
pub(crate) fn check_new_names(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    names: &[&str],
) -> Result<(), ActionError> {
    if actor.role.is_guest() {
        return Ok(());
    }
    let list = json!(names).to_string();
    let found = channel_facts::by_names(db, actor.realm_id, actor.member(), &list)?;
    let hidden = found.iter().filter(|row| is_hidden(actor, row)).count();
    if found.len() == names.len() && hidden == 0 {
        return Ok(());
    }
    tries::admit(db, actor, now)?;
    match hidden {
        0 => Ok(()),
        number => tries::count(db, actor, now, number),
    }
}

/// Whether the caller may not know that there is such a channel.
pub(crate) fn is_hidden(actor: &Actor, row: &ChannelFactsRow) -> bool {
    !may_see_channel(actor.role, &facts(row, actor.role)).is_allowed()
}
