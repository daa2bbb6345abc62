//! The facts about a channel and one user that rules need, in one statement.
//!
//! Whether the user may read or send is decided by `spindle-domain` from [`ChannelFactsRow`].

use spindle_domain::{ChannelId, ConversationId, MessageId, RealmId};

use crate::group_settings::{Member, groups_of_member};
use crate::{Db, DbError, Json, params, row_struct, sql};

row_struct! {
    /// A channel with everything that rules ask about it and one user.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChannelFactsRow {
        pub id: ChannelId,
        /// `recipient_id` of its messages.
        pub conversation_id: ConversationId,
        pub name: String,
        /// Private channel.
        pub invite_only: bool,
        /// Whether subscribers read what was sent before they came.
        pub history_public_to_subscribers: bool,
        /// Whether clients without an account read it.
        pub is_web_public: bool,
        /// Archived channels are read only.
        pub is_archived: bool,
        /// `inherit`, `allow_empty_topic`, `disable_empty_topic`, `empty_topic_only`.
        pub topics_policy: String,
        /// None before the first message.
        pub first_message_id: Option<MessageId>,
        /// Whether the channel was in use lately.
        pub is_recently_active: bool,
        /// Whether the user is subscribed.
        pub is_subscribed: bool,
        /// Names of the channel's permissions that the user's groups hold.
        pub held: Json<Vec<String>>,
        /// Names of the organization's permissions that the user's groups hold.
        pub realm_held: Json<Vec<String>>,
        /// Whether the topic that was asked about has a message.
        pub topic_exists: bool,
    }
}

macro_rules! facts_columns {
    () => {
        concat!(
            "SELECT ch.id, ch.conversation_id, ch.name, ch.invite_only, \
             ch.history_public_to_subscribers, ch.is_web_public, ch.is_archived, \
             ch.topics_policy, ch.first_message_id, ch.is_recently_active, \
             EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = ?2 AND s.channel_id = ch.id \
                 AND s.active = 1) AS is_subscribed, \
             (SELECT json_group_array(gs.name) FROM group_settings gs WHERE gs.owner_type = 'channel' \
                 AND gs.owner_id = ch.id AND gs.group_id IN ",
            groups_of_member!("?2", "?4"),
            ") AS held, (SELECT json_group_array(gs.name) FROM group_settings gs WHERE gs.owner_type = 'realm' \
                 AND gs.owner_id = ?1 AND gs.group_id IN ",
            groups_of_member!("?2", "?4"),
            ") AS realm_held, EXISTS (SELECT 1 FROM messages m WHERE m.channel_id = ch.id \
             AND m.topic_folded = ?3) AS topic_exists \
             FROM channels ch WHERE ch.realm_id = ?1 AND "
        )
    };
}

/// The facts about a channel for `member`; `topic_folded` is the topic in question.
pub fn by_id(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
    topic_folded: &str,
    channel_id: ChannelId,
) -> Result<Option<ChannelFactsRow>, DbError> {
    let member = member.into();
    db.query(
        sql!(facts_columns!(), "ch.id = ?5"),
        &params![
            realm_id,
            member.user_id,
            topic_folded,
            member.is_lowered,
            channel_id
        ],
    )?
    .first()
}

/// As [`by_id`], by folded name.
pub fn by_name(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
    topic_folded: &str,
    name_folded: &str,
) -> Result<Option<ChannelFactsRow>, DbError> {
    let member = member.into();
    db.query(
        sql!(facts_columns!(), "ch.name_folded = ?5"),
        &params![
            realm_id,
            member.user_id,
            topic_folded,
            member.is_lowered,
            name_folded
        ],
    )?
    .first()
}

/// The facts about the channels whose folded names are in a JSON list, by id.
pub fn by_names(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
    names_folded: &str,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    let member = member.into();
    // No topic is in question: a null one is never found.
    db.query(
        sql!(
            facts_columns!(),
            "ch.name_folded IN (SELECT value FROM json_texts(?5)) ORDER BY ch.id"
        ),
        &params![
            realm_id,
            member.user_id,
            None::<&str>,
            member.is_lowered,
            names_folded
        ],
    )?
    .all()
}

/// The facts about every channel of the organization for `member`, by id.
pub fn all(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    let member = member.into();
    // No topic is in question: a null one is never found.
    db.query(
        sql!(facts_columns!(), "true ORDER BY ch.id"),
        &params![realm_id, member.user_id, None::<&str>, member.is_lowered],
    )?
    .all()
}

/// The facts about the channels in a JSON list of ids.
pub fn by_ids(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
    ids: &str,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    let member = member.into();
    // No topic is in question: a null one is never found.
    db.query(
        sql!(
            facts_columns!(),
            "ch.id IN (SELECT value FROM json_ids(?5)) ORDER BY ch.id"
        ),
        &params![
            realm_id,
            member.user_id,
            None::<&str>,
            member.is_lowered,
            ids
        ],
    )?
    .all()
}

/// The facts about the channels that `member` is not in and that are private, or about all
/// channels that they are not in if the user is a guest.
pub fn not_open(
    db: &dyn Db,
    realm_id: RealmId,
    member: impl Into<Member>,
    is_guest: bool,
) -> Result<Vec<ChannelFactsRow>, DbError> {
    let member = member.into();
    // No topic is in question: a null one is never found.
    db.query(
        sql!(
            facts_columns!(),
            "(?5:bigint = 1 OR ch.invite_only = 1) AND NOT EXISTS (SELECT 1 FROM subscriptions s \
             WHERE s.user_id = ?2 AND s.channel_id = ch.id AND s.active = 1) ORDER BY ch.id"
        ),
        &params![
            realm_id,
            member.user_id,
            None::<&str>,
            member.is_lowered,
            is_guest
        ],
    )?
    .all()
}
