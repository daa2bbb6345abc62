//! The status of a user (docs/protocol/presence.md#get_user_status).

use serde::Serialize;
use spindle_domain::policy::Reason;
use spindle_domain::{UserId, user_setting};
use spindle_store::{Db, statuses};

use crate::access::access_user::access_user;
use crate::{ActionError, Actor, Settings};

/// A user status object, with only the fields that are set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UserStatus {
    /// True, or left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<bool>,
    /// Never empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_text: Option<String>,
    /// Comes with the other two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_name: Option<String>,
    /// Code within the namespace of `reaction_type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji_code: Option<String>,
    /// As it was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaction_type: Option<String>,
    /// When the status expires, in UNIX seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_end_time: Option<i64>,
}

/// Reads the status of an active person.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such user, they are hidden from the caller,
/// deactivated, or a bot.
pub fn get_user_status(
    db: &dyn Db,
    actor: &Actor,
    user_id: UserId,
) -> Result<UserStatus, ActionError> {
    let user = access_user(db, actor, user_id)?;
    if user.is_bot || !user.is_active {
        return Err(Reason::NoAccess.into());
    }
    let is_away = !Settings::of_user(&user.settings).is_on(user_setting!("presence_enabled"));
    let mut status = UserStatus {
        away: is_away.then_some(true),
        ..UserStatus::default()
    };
    if let Some(row) = statuses::by_user(db, user.id)? {
        status.status_text = Some(row.status_text).filter(|text| !text.is_empty());
        if !row.emoji_name.is_empty() {
            status.emoji_name = Some(row.emoji_name);
            status.emoji_code = Some(row.emoji_code);
            status.reaction_type = Some(row.reaction_type);
        }
        status.scheduled_end_time = row.scheduled_end_time;
    }
    Ok(status)
}
