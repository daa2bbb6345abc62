//! Deletes keys whose end has come, so that polls that wait with them end as well.

use std::collections::BTreeSet;

use serde_json::json;
use spindle_domain::limits::EXPIRED_KEYS_AT_ONCE;
use spindle_domain::{RealmId, UserId};
use spindle_events::credentials_ended;
use spindle_store::{Connection, Freeing, audit, keys};

use crate::{ActionError, change};

/// Deletes keys that have expired at `now` (UNIX seconds), in one part; returns whether none is left. Nothing is locked
/// when there is nothing to do.
pub fn end_expired_keys(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
) -> Result<bool, ActionError> {
    if !keys::any_expired(db, now)? {
        return Ok(true);
    }
    let db = &Freeing(db);
    change::if_needed(db, realm_id, now, |tx| {
        let ended = keys::delete_expired(tx, now, EXPIRED_KEYS_AT_ONCE)?;
        for key in &ended {
            let data = json!({"key_id": key.id, "name": key.name}).to_string();
            let (of, kind) = (Some(key.user_id), "user_api_key_expired");
            audit::append(tx, realm_id, now, None, of, kind, &data)?;
        }
        let accounts: BTreeSet<UserId> = ended.iter().map(|key| key.user_id).collect();
        let is_last = i64::try_from(ended.len()).unwrap_or(i64::MAX) < EXPIRED_KEYS_AT_ONCE;
        let events: Vec<_> = accounts.into_iter().map(credentials_ended).collect();
        Ok(change::outcome(is_last, events))
    })
}
