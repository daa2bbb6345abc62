//! The API key of a bot: a new one is shown once, an old one never
//! (docs/protocol/bots.md#regenerate_bot_api_key, docs/protocol/bots.md#get_bot_api_key).

use serde_json::json;
use spindle_domain::UserId;
use spindle_events::credentials_ended;
use spindle_store::{Connection, SilentReason, bots, keys};

use super::access_bot;
use super::create::check_permission;
use crate::account::manage_account::Change;
use crate::account::secrets;
use crate::{ActionError, Actor};

/// Revokes the keys of a bot and returns a new one, at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::Denied`] when there is no such bot for the caller, or the caller may not create one like it.
pub fn regenerate_bot_key(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    bot_id: UserId,
) -> Result<String, ActionError> {
    let key = secrets::new_api_key()?;
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        let bot = access_bot(change, bot_id)?.row;
        if !actor.role.is_admin() {
            let bot_type = bots::bot_type(change.tx, bot.id)?.unwrap_or_default();
            check_permission(change.tx, actor, bot_type)?;
        }
        keys::delete_all(change.tx, bot.id)?;
        change.events.push(credentials_ended(bot.id));
        let hash = secrets::hash_api_key(&key);
        keys::insert(change.tx, bot.id, &hash, now, "regenerated")?;
        let data = json!({"revoked_others": true});
        change.audit(Some(bot.id), "user_api_key_issued", &data)?;
        Ok(())
    })?;
    Ok(key)
}

/// Why the key of a bot cannot be read: only its hash is stored.
///
/// # Errors
/// Always: [`ActionError::Denied`] when there is no such bot for the caller, else
/// [`ActionError::BadRequest`].
pub fn refuse_bot_key(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    bot_id: UserId,
) -> Result<(), ActionError> {
    let why = SilentReason::Credentials;
    Change::silently(db, why, Some(actor), actor.realm_id, now, |change| {
        access_bot(change, bot_id)?;
        Err(ActionError::bad_request(
            "A key is shown only when it is made; regenerate it to get a new one",
        ))
    })
}
