//! Presence: which users are active or idle, as their clients report it.
//!
//! Reports are the most frequent writes. One that would hardly change anything is not written, and
//! only the first after an absence is broadcast immediately (docs/protocol/presence.md#forms).

mod read;
mod report;

pub use read::{PresenceEntry, Presences, UserPresence, get_presences, get_user_presence};
pub(crate) use report::switch_presence;
pub use report::{PresenceReport, report_presence};

use spindle_domain::limits::PRESENCE_HISTORY_LIMIT_DAYS;
use spindle_domain::realm_setting;
use spindle_store::Db;
use spindle_store::presences::{self, PresenceObjects, Wanted};

use crate::access::view::sees_all_users;
use crate::{ActionError, Actor};

const SECONDS_OF_A_DAY: i64 = 86_400;

/// The form and extent of the presences that a client requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PresenceQuery {
    /// By user id; else by API email.
    pub slim: bool,
    /// What the client knows already; -1 for nothing. Only with `slim`.
    pub last_update_id: i64,
    /// `None` means 14.
    pub history_limit_days: Option<i64>,
}

/// Presences that the caller may see; empty when the organization shows no presence.
pub(crate) fn presences_for(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    query: PresenceQuery,
) -> Result<PresenceObjects, ActionError> {
    if actor
        .realm_settings()
        .is_on(realm_setting!("presence_disabled"))
    {
        return Ok(PresenceObjects::default());
    }
    let days = query
        .history_limit_days
        .unwrap_or(PRESENCE_HISTORY_LIMIT_DAYS);
    let wanted = Wanted {
        realm_id: actor.realm_id,
        viewer_id: actor.user_id,
        sees_all_users: sees_all_users(db, actor)?,
        since: now.saturating_sub(days.saturating_mul(SECONDS_OF_A_DAY)),
        after_update_id: if query.slim { query.last_update_id } else { -1 },
    };
    Ok(presences::objects(db, &wanted, !query.slim)?)
}
