//! The storage of a bot between its runs (docs/protocol/clients.md#zulip_bots,
//! docs/protocol/bots.md#storage): texts by key, which other accounts cannot see.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::UserId;
use spindle_domain::limits::MAX_BOT_STORAGE;
use spindle_store::{Connection, Db, Freeing, SilentReason, bot_storage};

use crate::{ActionError, Actor, change};

/// The caller's entries as a JSON object: all, or those under `keys`.
///
/// # Errors
/// [`ActionError::BadRequest`] for a key without an entry.
pub fn get_bot_storage(
    db: &dyn Db,
    actor: &Actor,
    keys: Option<&[String]>,
) -> Result<String, ActionError> {
    let user_id = actor.user_id;
    let keys = keys.map(|keys| json!(keys).to_string());
    check_keys(db, user_id, keys.as_deref())?;
    Ok(bot_storage::entries(db, user_id, keys.as_deref())?)
}

/// Stores entries of the caller in place of those under the same keys, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] when all of it together would be more than [`MAX_BOT_STORAGE`]
/// characters; then nothing is stored.
pub fn set_bot_storage(
    db: &dyn Connection,
    actor: &Actor,
    entries: &BTreeMap<String, String>,
) -> Result<(), ActionError> {
    change::silently(db, SilentReason::BotStorage, |tx| {
        let user_id = actor.user_id;
        bot_storage::set(tx, user_id, &json!(entries).to_string())?;
        if bot_storage::size(tx, user_id)? > MAX_BOT_STORAGE {
            return Err(ActionError::BadRequest(format!(
                "A bot keeps at most {MAX_BOT_STORAGE} characters"
            )));
        }
        Ok(())
    })
}

/// Deletes entries of the caller, all or those under `keys`, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::BadRequest`] for a key without an entry; then nothing is deleted.
pub fn delete_bot_storage(
    db: &dyn Connection,
    actor: &Actor,
    keys: Option<&[String]>,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    change::silently(db, SilentReason::BotStorage, |tx| {
        let user_id = actor.user_id;
        let keys = keys.map(|keys| json!(keys).to_string());
        check_keys(tx, user_id, keys.as_deref())?;
        bot_storage::delete(tx, user_id, keys.as_deref())?;
        Ok(())
    })
}

fn check_keys(db: &dyn Db, user_id: UserId, keys: Option<&str>) -> Result<(), ActionError> {
    let Some(keys) = keys else { return Ok(()) };
    match bot_storage::first_missing(db, user_id, keys)? {
        Some(key) => Err(ActionError::BadRequest(format!(
            "Nothing is stored under the key {key:?}"
        ))),
        None => Ok(()),
    }
}
