//! Reads when others were seen (docs/protocol/presence.md#forms,
//! docs/protocol/presence.md#get_presence, docs/protocol/presence.md#get_user_presence).

use serde::Serialize;
use spindle_domain::narrow::UserReference;
use spindle_domain::realm_setting;
use spindle_store::{Db, presences};

use super::{PresenceQuery, presences_for};
use crate::access::access_user::{access_user, access_user_by_email};
use crate::{ActionError, Actor};

/// Presences of users whom the caller may see.
#[derive(Debug, Clone, PartialEq)]
pub struct Presences {
    /// JSON object by user id or API email.
    pub presences: String,
    /// Seconds with fraction.
    pub server_timestamp: f64,
    /// The id for the next request; the one of this request when there is no presence.
    pub presence_last_update_id: i64,
}

/// The presences in the requested form, at `now` (UNIX seconds).
pub fn get_presences(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    query: PresenceQuery,
) -> Result<Presences, ActionError> {
    let read = presences_for(db, actor, now, query)?;
    Ok(Presences {
        presences: read.objects,
        server_timestamp: now as f64,
        presence_last_update_id: read.newest.unwrap_or(query.last_update_id),
    })
}

/// The presence in one client, or in all together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PresenceEntry {
    /// `active` or `idle`, at the time of `timestamp`.
    pub status: &'static str,
    /// UNIX seconds.
    pub timestamp: i64,
}

/// The presence of one user in both forms; clients are no longer distinguished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserPresence {
    /// UNIX seconds.
    pub active_timestamp: i64,
    /// UNIX seconds.
    pub idle_timestamp: i64,
    /// All clients together.
    pub aggregated: PresenceEntry,
    /// The one kind of client that is left.
    pub website: PresenceEntry,
}

/// When `user` was seen.
///
/// # Errors
/// [`ActionError::Denied`] when the caller may not know of the user; [`ActionError::BadRequest`]
/// for a bot, a deactivated user, and one who was never seen.
pub fn get_user_presence(
    db: &dyn Db,
    actor: &Actor,
    user: &UserReference,
) -> Result<UserPresence, ActionError> {
    let user = match user {
        UserReference::Id(id) => access_user(db, actor, *id)?,
        UserReference::Email(email) => access_user_by_email(db, actor, email)?,
    };
    if user.is_bot {
        return Err(ActionError::bad_request("Bots have no presence"));
    }
    let is_hidden = !user.is_active
        || actor
            .realm_settings()
            .is_on(realm_setting!("presence_disabled"));
    let row = presences::by_user(db, user.id)?
        .filter(|_| !is_hidden)
        .ok_or_else(|| ActionError::bad_request("There is no presence data for this user"))?;
    let is_active = row.active_timestamp >= row.idle_timestamp;
    let entry = PresenceEntry {
        status: if is_active { "active" } else { "idle" },
        timestamp: row.active_timestamp.max(row.idle_timestamp),
    };
    Ok(UserPresence {
        active_timestamp: row.active_timestamp,
        idle_timestamp: row.idle_timestamp,
        aggregated: entry.clone(),
        website: entry,
    })
}
