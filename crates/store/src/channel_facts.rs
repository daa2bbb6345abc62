//! What rules ask about a channel and one user, in one statement.
//!
//! Whether somebody may read or send is decided by `spindle-domain` from [`ChannelFactsRow`].

use crate::group_settings::groups_of_user;
use crate::{Db, DbError, Row, params, sql};

/// A channel with everything that rules ask about it and one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelFactsRow {
    /// `stream_id`.
    pub id: i64,
    /// `recipient_id` of its messages.
    pub conversation_id: i64,
    /// Name.
    pub name: String,
    /// Private channel.
    pub invite_only: bool,
    /// Whether subscribers read what was sent before they came.
    pub history_public_to_subscribers: bool,
    /// Whether anybody on the web reads it.
    pub is_web_public: bool,
    /// Archived channels are read only.
    pub is_archived: bool,
    /// `inherit`, `allow_empty_topic`, `disable_empty_topic`, `empty_topic_only`.
    pub topics_policy: String,
    /// None before the first message.
    pub first_message_id: Option<i64>,
    /// Whether the channel was in use lately.
    pub is_recently_active: bool,
    /// Whether the user is subscribed.
    pub is_subscribed: bool,
    /// Names of the channel's permissions that the user's groups hold.
    pub held: Vec<String>,
    /// Names of the organization's permissions that the user's groups hold.
    pub realm_held: Vec<String>,
    /// Whether the topic that was asked about has a message.
    pub topic_exists: bool,
}

macro_rules! facts_columns {
    () => {
        concat!(
            "SELECT ch.id, ch.conversation_id, ch.name, ch.invite_only, \
             ch.history_public_to_subscribers, ch.is_web_public, ch.is_archived, \
             ch.topics_policy, ch.first_message_id, ch.is_recently_active, \
             EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = ?2 AND s.channel_id = ch.id \
                 AND s.active = 1), \
             (SELECT json_group_array(gs.name) FROM group_settings gs WHERE gs.owner_type = 'channel' \
                 AND gs.owner_id = ch.id AND gs.group_id IN ",
            groups_of_user!("?2"),
            "), (SELECT json_group_array(gs.name) FROM group_settings gs WHERE gs.owner_type = 'realm' \
                 AND gs.owner_id = ?1 AND gs.group_id IN ",
            groups_of_user!("?2"),
            "), EXISTS (SELECT 1 FROM messages m WHERE m.channel_id = ch.id AND m.topic_folded = ?3) \
             FROM channels ch WHERE ch.realm_id = ?1 AND "
        )
    };
}

fn read_facts(row: &mut Row<'_>) -> Result<ChannelFactsRow, DbError> {
    Ok(ChannelFactsRow {
        id: row.integer()?,
        conversation_id: row.integer()?,
        name: row.text()?,
        invite_only: row.flag()?,
        history_public_to_subscribers: row.flag()?,
        is_web_public: row.flag()?,
        is_archived: row.flag()?,
        topics_policy: row.text()?,
        first_message_id: row.optional_integer()?,
        is_recently_active: row.flag()?,
        is_subscribed: row.flag()?,
        held: row.json()?,
        realm_held: row.json()?,
        topic_exists: row.flag()?,
    })
}

/// The facts about a channel for `user_id`; `topic_folded` is the topic that is asked about.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_id(
    db: &dyn Db,
    realm_id: i64,
    user_id: i64,
    topic_folded: &str,
    channel_id: i64,
) -> Result<Option<ChannelFactsRow>, DbError> {
    db.query(
        sql!(facts_columns!(), "ch.id = ?4"),
        &params![realm_id, user_id, topic_folded, channel_id],
    )?
    .read_first(read_facts)
}

/// As [`by_id`], by folded name.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_name(
    db: &dyn Db,
    realm_id: i64,
    user_id: i64,
    topic_folded: &str,
    name_folded: &str,
) -> Result<Option<ChannelFactsRow>, DbError> {
    db.query(
        sql!(facts_columns!(), "ch.name_folded = ?4"),
        &params![realm_id, user_id, topic_folded, name_folded],
    )?
    .read_first(read_facts)
}

/// The facts about the channels whose folded names are in a JSON list, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_names(
    db: &dyn Db,
    realm_id: i64,
    user_id: i64,
    names_folded: &str,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    // No topic is asked about: a null one is never found.
    db.query(
        sql!(
            facts_columns!(),
            "ch.name_folded IN (SELECT value FROM json_each(?4)) ORDER BY ch.id"
        ),
        &params![realm_id, user_id, None::<&str>, names_folded],
    )?
    .read_all(read_facts)
}

/// The facts about every channel of the organization for `user_id`, by id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn all(db: &dyn Db, realm_id: i64, user_id: i64) -> Result<Vec<ChannelFactsRow>, DbError> {
    // No topic is asked about: a null one is never found.
    db.query(
        sql!(facts_columns!(), "true ORDER BY ch.id"),
        &params![realm_id, user_id, None::<&str>],
    )?
    .read_all(read_facts)
}

/// The facts about the channels in a JSON list of ids.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn by_ids(
    db: &dyn Db,
    realm_id: i64,
    user_id: i64,
    ids: &str,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    // No topic is asked about: a null one is never found.
    db.query(
        sql!(
            facts_columns!(),
            "ch.id IN (SELECT value FROM json_each(?4)) ORDER BY ch.id"
        ),
        &params![realm_id, user_id, None::<&str>, ids],
    )?
    .read_all(read_facts)
}

/// The facts about the channels that are not open to `user_id` by themselves: those that the
/// user is not in and that are private, or any if the user is a guest.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn not_open(
    db: &dyn Db,
    realm_id: i64,
    user_id: i64,
    is_guest: bool,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    // No topic is asked about: a null one is never found.
    db.query(
        sql!(
            facts_columns!(),
            "(?4 OR ch.invite_only = 1) AND NOT EXISTS (SELECT 1 FROM subscriptions s \
             WHERE s.user_id = ?2 AND s.channel_id = ch.id AND s.active = 1) ORDER BY ch.id"
        ),
        &params![realm_id, user_id, None::<&str>, is_guest],
    )?
    .read_all(read_facts)
}
