//! The sessions of the caller.

use serde::Serialize;
use spindle_domain::{SessionId, UserId};
use spindle_store::{Db, sessions};

use super::expired_before;
use crate::{ActionError, Actor};

/// A session as its owner sees it, and as it is on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedSession {
    pub id: SessionId,
    /// UNIX seconds.
    pub created: i64,
    /// UNIX seconds; up to an hour before the last use.
    pub last_used: i64,
    /// How the browser describes itself.
    pub client: String,
    /// Whether it is the session of the request.
    pub is_current: bool,
}

/// The sessions of the caller that are not over at `now` (UNIX seconds), by id.
pub fn list_sessions(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
) -> Result<Vec<ListedSession>, ActionError> {
    list_sessions_of(db, actor, actor.user_id, now)
}

/// The sessions of an account that are not over at `now` (UNIX seconds), by id. Whether `actor` may see them is for the
/// caller to check.
pub(crate) fn list_sessions_of(
    db: &dyn Db,
    actor: &Actor,
    user_id: UserId,
    now: i64,
) -> Result<Vec<ListedSession>, ActionError> {
    let rows = sessions::list(db, user_id, expired_before(now, actor.session_seconds()))?;
    let listed = rows.into_iter().map(|row| ListedSession {
        is_current: actor.session_id == Some(row.id),
        id: row.id,
        created: row.created,
        last_used: row.last_used,
        client: row.client,
    });
    Ok(listed.collect())
}
