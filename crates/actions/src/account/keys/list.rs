//! Lists the API keys of an account, without the keys: the server stores only their hashes.

use serde::Serialize;
use spindle_domain::policy::Scope;
use spindle_domain::{ApiKeyId, UserId};
use spindle_store::{Db, keys};

use crate::{ActionError, Actor};

/// A key as its owner sees it, and as it is on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedKey {
    pub id: ApiKeyId,
    /// `None` for a key of a sign-in.
    pub name: Option<String>,
    pub scope: Scope,
    /// UNIX seconds.
    pub created: i64,
    /// UNIX seconds; up to an hour before the last use.
    pub last_used: Option<i64>,
    /// UNIX seconds; `None`: never.
    pub ends: Option<i64>,
    /// The program that asked for the key, or how it was made.
    #[serde(rename = "client")]
    pub label: String,
}

/// The keys of the caller that have not ended at `now` (UNIX seconds), the oldest first.
pub fn list_api_keys(db: &dyn Db, actor: &Actor, now: i64) -> Result<Vec<ListedKey>, ActionError> {
    list_keys_of(db, actor.user_id, now)
}

/// The keys of an account, as [`list_api_keys`]. Whether the caller may see them is for the caller of this function to
/// check.
pub(crate) fn list_keys_of(
    db: &dyn Db,
    user_id: UserId,
    now: i64,
) -> Result<Vec<ListedKey>, ActionError> {
    let rows = keys::list(db, user_id, now)?.into_iter();
    let listed = rows.map(|row| ListedKey {
        id: row.id,
        name: row.name,
        scope: row.scope,
        created: row.created,
        last_used: row.last_used,
        ends: row.ends,
        label: row.label,
    });
    Ok(listed.collect())
}
