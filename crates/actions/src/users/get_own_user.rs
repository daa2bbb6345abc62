//! The caller's own record (docs/protocol/users.md#get_own_user).

use serde::Serialize;
use spindle_domain::{MessageId, UserId};
use spindle_store::{Db, messages, profile_values};

use crate::{ActionError, Actor};

/// The fields of GET /users/me, in the form of the wire.
#[derive(Debug, Clone, Serialize)]
pub struct OwnUser {
    pub user_id: UserId,
    /// API email.
    pub email: String,
    /// Real address.
    pub delivery_email: String,
    pub full_name: String,
    /// Never null here.
    pub avatar_url: String,
    /// Grows with each new avatar.
    pub avatar_version: i64,
    /// Administrator or owner.
    pub is_admin: bool,
    pub is_owner: bool,
    /// Guest.
    pub is_guest: bool,
    /// Bot.
    pub is_bot: bool,
    /// Always true: a deactivated account cannot send this request.
    pub is_active: bool,
    /// Role as its integer.
    pub role: i64,
    /// IANA name, or empty.
    pub timezone: String,
    /// ISO 8601 with offset.
    pub date_joined: String,
    /// Newest message received, -1 for none.
    pub max_message_id: i64,
    /// Imported and never logged in.
    pub is_imported_stub: bool,
    /// Humans only; values by decimal field id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_data: Option<Box<serde_json::value::RawValue>>,
    /// Bots only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_type: Option<i64>,
    /// Bots only; null without an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_owner_id: Option<Option<UserId>>,
}

/// Reads the caller's own record, in one statement.
pub fn get_own_user(db: &dyn Db, actor: &Actor) -> Result<OwnUser, ActionError> {
    let (profile_data, newest) = if actor.is_bot {
        (None, messages::newest_received(db, actor.user_id)?)
    } else {
        let read = profile_values::and_newest_message(db, actor.user_id)?;
        let raw = serde_json::value::RawValue::from_string(read.profile);
        let raw = raw.map_err(|error| ActionError::Internal(format!("profile: {error}")))?;
        (Some(raw), read.newest)
    };
    Ok(OwnUser {
        user_id: actor.user_id,
        email: actor.email.clone(),
        delivery_email: actor.delivery_email.clone(),
        full_name: actor.full_name.clone(),
        avatar_url: actor.avatar_url.clone(),
        avatar_version: actor.avatar_version,
        is_admin: actor.role.is_admin(),
        is_owner: actor.role.is_owner(),
        is_guest: actor.role.is_guest(),
        is_bot: actor.is_bot,
        is_active: true,
        role: actor.role.as_i64(),
        timezone: actor.timezone.clone(),
        date_joined: actor.date_joined.clone(),
        max_message_id: newest.map_or(-1, MessageId::get),
        is_imported_stub: actor.is_imported_stub,
        profile_data,
        bot_type: actor.bot_type,
        bot_owner_id: actor.is_bot.then_some(actor.bot_owner_id),
    })
}
