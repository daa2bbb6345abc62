//! Messages: writing one, and reading single ones.
//!
//! Flag bits follow the schema. Deliveries are in [`crate::deliveries`], lists by anchor in [`crate::message_windows`],
//! many messages in one read in [`crate::message_pages`], unread messages in [`crate::unread`].

use std::sync::Arc;

use spindle_domain::{ChannelId, ConversationId, MessageId, RealmId, UserId};

use crate::message_words::{self, Place};
use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Bits of `user_messages.flags`.
pub mod flag {
    /// Read.
    pub const READ: i64 = 1;
    /// Starred.
    pub const STARRED: i64 = 2;
    /// Collapsed.
    pub const COLLAPSED: i64 = 4;
    /// Mentioned, personally or through a group.
    pub const MENTIONED: i64 = 8;
    /// Mentioned by `@**all**` or a synonym, with all subscribers of the channel.
    pub const STREAM_WILDCARD_MENTIONED: i64 = 16;
    /// Mentioned by `@**topic**`, with all participants of the topic.
    pub const TOPIC_WILDCARD_MENTIONED: i64 = 32;
    /// Mentioned through a group; comes with [`MENTIONED`].
    pub const GROUP_MENTIONED: i64 = 64;
    /// Holds one of the user's alert words.
    pub const HAS_ALERT_WORD: i64 = 512;
    /// Delivered after the fact.
    pub const HISTORICAL: i64 = 1024;
    /// A direct message.
    pub const IS_PRIVATE: i64 = 2048;
    /// Any kind of mention.
    pub const ANY_MENTION: i64 =
        MENTIONED | STREAM_WILDCARD_MENTIONED | TOPIC_WILDCARD_MENTIONED | GROUP_MENTIONED;
}

/// Bits of `messages.properties`.
pub mod property {
    /// Holds a link.
    pub const HAS_LINK: i64 = 1;
    /// Holds an image.
    pub const HAS_IMAGE: i64 = 2;
    /// Holds an uploaded file.
    pub const HAS_ATTACHMENT: i64 = 4;
    /// Begins with `/me`.
    pub const IS_ME_MESSAGE: i64 = 8;
}

/// A message to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// The sender's organization.
    pub realm_id: RealmId,
    /// The account that sends it.
    pub sender_id: UserId,
    /// The channel's conversation, or the one of these people.
    pub conversation_id: ConversationId,
    /// None for a direct message.
    pub channel_id: Option<ChannelId>,
    /// Empty for direct messages.
    pub topic: &'a str,
    /// The topic, folded for comparison.
    pub topic_folded: &'a str,
    /// Markdown.
    pub content: &'a str,
    /// HTML.
    pub rendered_content: &'a str,
    /// UNIX seconds.
    pub date_sent: i64,
    /// Name of the client that sends it.
    pub client: &'a str,
    /// See [`property`].
    pub properties: i64,
    /// JSON list of the buttons of an app's message.
    pub buttons: Option<&'a str>,
}

impl NewMessage<'_> {
    pub(crate) fn place(&self) -> Place {
        Place {
            conversation_id: self.conversation_id,
            sender_id: self.sender_id,
            channel_id: self.channel_id,
            topic: self.topic.to_owned(),
        }
    }
}

/// Writes a message; returns its id.
pub fn insert(tx: &WriteTx<'_>, new: &NewMessage<'_>) -> Result<MessageId, DbError> {
    let id = tx
        .execute(
            statement!(
                "INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, topic, \
         topic_folded, content, rendered_content, date_sent, client, properties, buttons) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id"
            ),
            &params![
                new.realm_id,
                new.sender_id,
                new.conversation_id,
                new.channel_id,
                new.topic,
                new.topic_folded,
                new.content,
                new.rendered_content,
                new.date_sent,
                new.client,
                new.properties,
                new.buttons,
            ],
        )?
        .one_value()?;
    message_words::add(tx, id, &new.place(), new.content)?;
    Ok(id)
}

/// The newest message that was delivered to the user in `$user` when it was sent.
macro_rules! newest_received_text {
    ($user:literal) => {
        concat!(
            "SELECT message_id FROM user_messages WHERE user_id = ",
            $user,
            " AND flags & 1024 = 0 ORDER BY message_id DESC LIMIT 1"
        )
    };
}
pub(crate) use newest_received_text;

/// The newest message that was delivered to a user when it was sent.
pub fn newest_received(db: &dyn Db, user_id: UserId) -> Result<Option<MessageId>, DbError> {
    db.query(sql!(newest_received_text!("?1")), &params![user_id])?
        .value()
}

/// Ids of the newest starred messages of a user, ascending, as a JSON list; without those in `channels_not`, a JSON list
/// of ids.
pub fn starred(
    db: &dyn Db,
    user_id: UserId,
    channels_not: &str,
    limit: i64,
) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(message_id ORDER BY message_id) FROM (SELECT message_id FROM user_messages \
             INDEXED BY user_messages_starred WHERE user_id = ?1 AND flags & 2 <> 0 \
             AND (?3 = '[]' OR NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = message_id \
                 AND m.channel_id IN (SELECT value FROM json_ids(?3)))) \
             ORDER BY message_id DESC LIMIT ?2) AS newest"
        ),
        &params![user_id, limit, channels_not],
    )?
    .one_value()
}

row_struct! {
    /// A message with its sender, as the message object needs it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MessageRow {
        pub id: MessageId,
        /// The account that sent it.
        pub sender_id: UserId,
        /// API email of the sender.
        pub sender_email: Arc<str>,
        /// Name of the sender.
        pub sender_full_name: Arc<str>,
        /// Whether the sender is a bot.
        pub sender_is_bot: bool,
        /// Subdomain of the sender.
        pub sender_realm_str: Arc<str>,
        /// Path of the sender's avatar.
        pub avatar_url: Arc<str>,
        /// Whether a client can compute the avatar's address itself.
        pub avatar_is_gravatar: bool,
        /// `recipient_id`.
        pub conversation_id: ConversationId,
        /// None for a direct message.
        pub channel_id: Option<ChannelId>,
        /// The channel's name as a JSON string, or the JSON list of the people in the conversation.
        pub display_recipient: Arc<str>,
        /// Empty for direct messages.
        pub topic: String,
        /// Markdown.
        pub content: String,
        /// HTML.
        pub rendered_content: String,
        /// UNIX seconds.
        pub date_sent: i64,
        /// Name of the client that sent it.
        pub client: String,
        /// UNIX seconds of the last change of content; `None` when there was none.
        pub last_edit_time: Option<i64>,
        /// UNIX seconds of the last move; `None` when there was none.
        pub last_moved_time: Option<i64>,
        /// JSON list of changes, the newest first; `None` when it was never changed.
        pub edit_history: Option<String>,
        /// See [`property`].
        pub properties: i64,
        /// JSON list of the buttons of an app's message.
        pub buttons: Option<String>,
        /// JSON list of the emoji on it, in the order of adding; `None` when there are none, or when they are not read.
        pub reactions: Option<String>,
        /// JSON list of [`crate::submessages`]; `None` when there are none, or when they are not read.
        pub submessages: Option<String>,
        /// Returns true if one of the lists was cut at its end.
        pub is_incomplete: bool,
        /// The reader's flags; `None` when it was never delivered to them.
        pub flags: Option<i64>,
    }
}

/// What a message shows of its sender `u`, who is in the organization `r`.
macro_rules! sender_columns {
    () => {
        concat!(
            "u.email AS sender_email, u.full_name AS sender_full_name, u.is_bot AS sender_is_bot, \
             r.string_id AS sender_realm_str, ",
            $crate::users::avatar_url!("u"),
            " AS avatar_url, u.avatar_source = 'G' \
                 AND CAST(coalesce(u.settings ->> 'email_address_visibility', '1') AS BIGINT) = 1 AS avatar_is_gravatar"
        )
    };
}
pub(crate) use sender_columns;

/// The people in the direct conversation `$conversation`.
macro_rules! people_in {
    ($conversation:literal) => {
        concat!(
            "(SELECT json_group_array(json_object('id', p.id, \
                 'email', p.email, 'full_name', p.full_name, 'is_mirror_dummy', json('false')) \
                 ORDER BY p.id) FROM conversation_members cm JOIN users p ON p.id = cm.user_id \
                 WHERE cm.conversation_id = ",
            $conversation,
            ")"
        )
    };
}
pub(crate) use people_in;

/// The name of the channel `ch` as JSON.
macro_rules! channel_name {
    () => {
        $crate::either!("json_quote(ch.name)", "to_json(ch.name)")
    };
}
pub(crate) use channel_name;

/// Reactions and submessages of the message `m`, at most 10,000 reactions and 1,000,000 bytes of submessages
/// (`Quota::SubmessageText`). Few messages have any: to ask whether there are any costs a tenth of sorting and writing
/// an empty list.
macro_rules! attached_lists {
    () => {
        "iif(EXISTS (SELECT 1 FROM reactions x WHERE x.message_id = m.id), \
             (SELECT json_group_array(json_object('emoji_name', x.emoji_name, 'emoji_code', \
                 x.emoji_code, 'reaction_type', x.reaction_type, 'user_id', x.user_id) \
                 ORDER BY x.id) FROM (SELECT x.* FROM reactions x WHERE x.message_id = m.id \
                 ORDER BY x.id LIMIT 10000) x), NULL) AS reactions, \
             iif(EXISTS (SELECT 1 FROM submessages s WHERE s.message_id = m.id), \
             (SELECT json_group_array(json_object('id', s.id, \
                 'msg_type', s.msg_type, 'content', s.content, 'message_id', s.message_id, \
                 'sender_id', s.sender_id) ORDER BY s.id) FROM (SELECT s.id, s.msg_type, s.content, \
                 s.message_id, s.sender_id, sum(octet_length(s.content)) OVER (ORDER BY s.id) AS bytes \
                 FROM submessages s WHERE s.message_id = m.id) s WHERE s.bytes <= 1000000), NULL) \
             AS submessages, \
             ((SELECT count(*) FROM reactions x WHERE x.message_id = m.id) > 10000 \
             OR (SELECT coalesce(sum(octet_length(s.content)), 0) FROM submessages s \
                 WHERE s.message_id = m.id) > 1000000) AS is_incomplete"
    };
}
pub(crate) use attached_lists;

/// As [`attached_lists`], of none.
macro_rules! no_lists {
    () => {
        "CAST(NULL AS TEXT) AS reactions, CAST(NULL AS TEXT) AS submessages, 1 = 0 AS is_incomplete"
    };
}

macro_rules! message_columns {
    ($lists:expr) => {
        concat!(
            "SELECT m.id, m.sender_id, ",
            sender_columns!(),
            ", m.conversation_id, m.channel_id, iif(m.channel_id IS NULL, ",
            people_in!("m.conversation_id"),
            ", (SELECT ",
            channel_name!(),
            " FROM channels ch WHERE ch.id = m.channel_id)) \
                 AS display_recipient, \
             m.topic, m.content, m.rendered_content, m.date_sent, m.client, m.last_edit_time, \
             m.last_moved_time, m.edit_history, m.properties, m.buttons, ",
            $lists,
            ", um.flags FROM messages m JOIN users u ON u.id = m.sender_id \
             JOIN realms r ON r.id = u.realm_id \
             LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?2 \
             WHERE m.realm_id = ?1 AND m.id IN (SELECT value FROM json_ids(?3)) \
             AND (m.channel_id IS NOT NULL OR um.message_id IS NOT NULL) ORDER BY m.id"
        )
    };
}

/// Whether `$id` is in the JSON list `$ids`. PostgreSQL assumes that a list in an array is short, so it finds the rows
/// by their index in a cached plan; for a function it would estimate the number of rows each time.
macro_rules! is_listed {
    ($id:literal, $ids:literal) => {
        $crate::either!(
            concat!($id, " IN (SELECT value FROM json_ids(", $ids, "))"),
            concat!(
                $id,
                " = ANY (CAST(translate(",
                $ids,
                ", '[]', '{}') AS BIGINT[]))"
            )
        )
    };
}
pub(crate) use is_listed;

/// Reads the messages in a JSON list of ids, ascending, with the flags of `user_id`. Ids that do not exist are left
/// out, and so are direct messages that are not the user's: neither the result nor the time that it takes differs
/// between the two. The caller decides whether the user may read the messages of a channel.
pub fn by_ids(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    ids: &str,
) -> Result<Vec<MessageRow>, DbError> {
    db.query(
        sql!(message_columns!(attached_lists!())),
        &params![realm_id, user_id, ids],
    )?
    .all()
}

/// As [`by_ids`], for one message, without its reactions and submessages.
pub fn bare(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    message_id: MessageId,
) -> Result<Option<MessageRow>, DbError> {
    db.query(
        sql!(message_columns!(no_lists!())),
        &params![realm_id, user_id, crate::id_list([message_id])],
    )?
    .first()
}
