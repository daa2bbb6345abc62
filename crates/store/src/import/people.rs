//! Imported accounts, what they are subscribed to, and their statuses.

use spindle_domain::{ChannelId, RealmId, Role, UserId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// An account. It has neither key nor password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedUser<'a> {
    pub id: UserId,
    pub realm_id: RealmId,
    /// API email.
    pub email: &'a str,
    /// API email, folded.
    pub email_folded: &'a str,
    /// Real address.
    pub delivery_email: &'a str,
    /// Real address, folded.
    pub delivery_email_folded: &'a str,
    pub full_name: &'a str,
    /// Name, folded.
    pub full_name_folded: &'a str,
    /// Role as an integer.
    pub role: Role,
    /// Whether it may be used.
    pub is_active: bool,
    /// None for a person.
    pub bot_type: Option<i64>,
    /// Owner of a bot.
    pub bot_owner_id: Option<UserId>,
    /// Whether it becomes a regular account at its first login.
    pub is_imported_stub: bool,
    /// UNIX seconds.
    pub date_joined: i64,
    /// UNIX seconds.
    pub last_login: Option<i64>,
    /// Name of a time zone, or empty.
    pub timezone: &'a str,
    /// `G` or `J`; an uploaded picture is set later.
    pub avatar_source: &'a str,
    /// At least 1.
    pub avatar_version: i64,
    /// JSON object of the settings that differ from the defaults.
    pub settings: &'a str,
}

/// Adds an account.
///
/// # Errors
/// [`DbError::NotUnique`] when its id or one of its addresses is taken.
pub fn insert_user(tx: &WriteTx<'_>, user: &ImportedUser<'_>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO users (id, realm_id, email, email_folded, delivery_email, \
         delivery_email_folded, full_name, full_name_folded, role, is_active, is_bot, bot_type, \
         bot_owner_id, is_imported_stub, date_joined, last_login, timezone, avatar_source, \
         avatar_version, settings, avatar_name) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, \
             ?19, ?20, iif(?18 = 'G', random_name(), NULL))"
        ),
        &params![
            user.id,
            user.realm_id,
            user.email,
            user.email_folded,
            user.delivery_email,
            user.delivery_email_folded,
            user.full_name,
            user.full_name_folded,
            user.role,
            user.is_active,
            user.bot_type.is_some(),
            user.bot_type,
            user.bot_owner_id,
            user.is_imported_stub,
            user.date_joined,
            user.last_login,
            user.timezone,
            user.avatar_source,
            user.avatar_version,
            user.settings,
        ],
    )?;
    Ok(())
}

/// How many active people are owners.
pub fn owners(db: &dyn Db, realm_id: RealmId) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT count(*) FROM users \
             WHERE realm_id = ?1 AND role = 100 AND is_active = 1 AND is_bot = 0"
        ),
        &params![realm_id],
    )?
    .one_value()
}

/// Makes a person an active owner.
pub fn make_owner(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE users SET role = 100, is_active = 1, is_imported_stub = 0 WHERE id = ?1"
        ),
        &params![user_id],
    )?;
    Ok(())
}

/// A subscription to a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSubscription<'a> {
    pub user_id: UserId,
    /// To what.
    pub channel_id: ChannelId,
    /// Whether it has not ended.
    pub active: bool,
    /// `#` and six digits.
    pub color: &'a str,
    /// Whether the channel is muted.
    pub is_muted: bool,
    /// Whether it is pinned.
    pub pin_to_top: bool,
    /// Desktop, e-mail, push, audible, wildcard mentions; `None` means the person's default.
    pub notifications: [Option<bool>; 5],
}

/// Adds a subscription; of two of the same person to the same channel the later one counts.
pub fn insert_subscription(
    tx: &WriteTx<'_>,
    new: &ImportedSubscription<'_>,
) -> Result<(), DbError> {
    let [desktop, email, push, audible, wildcard] = new.notifications;
    tx.execute(
        statement!(
            "INSERT INTO subscriptions (user_id, channel_id, active, color, is_muted, pin_to_top, \
         desktop_notifications, email_notifications, push_notifications, audible_notifications, \
         wildcard_mentions_notify) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) \
         ON CONFLICT (user_id, channel_id) DO UPDATE SET active = excluded.active, \
             color = excluded.color, is_muted = excluded.is_muted, \
             pin_to_top = excluded.pin_to_top"
        ),
        &params![
            new.user_id,
            new.channel_id,
            new.active,
            new.color,
            new.is_muted,
            new.pin_to_top,
            desktop,
            email,
            push,
            audible,
            wildcard,
        ],
    )?;
    Ok(())
}

/// A status: text and emoji of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedStatus<'a> {
    pub user_id: UserId,
    /// Text, possibly empty.
    pub status_text: &'a str,
    /// Name of an emoji, possibly empty.
    pub emoji_name: &'a str,
    /// Its code.
    pub emoji_code: &'a str,
    /// Its type.
    pub reaction_type: &'a str,
    /// UNIX seconds.
    pub updated: i64,
}

/// Sets a status; the first one of a person counts.
pub fn insert_status(tx: &WriteTx<'_>, new: &ImportedStatus<'_>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_statuses (user_id, status_text, emoji_name, emoji_code, \
         reaction_type, updated) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING"
        ),
        &params![
            new.user_id,
            new.status_text,
            new.emoji_name,
            new.emoji_code,
            new.reaction_type,
            new.updated,
        ],
    )?;
    Ok(())
}
