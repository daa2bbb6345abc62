//! Deliveries: the rows that give a message to its recipients.
//!
//! All deliveries of a message are made by one statement, whatever their number. Flag bits are those
//! of [`crate::messages::flag`].

use std::collections::BTreeMap;

use spindle_domain::{ChannelId, ConversationId, MessageId, UserId};

use crate::{Db, DbError, Json, WriteTx, params, row_struct, sql, statement};

/// The recipients of a message and the flags that it gets for them; lists are JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery<'a> {
    pub message_id: MessageId,
    /// None for a direct message.
    pub channel_id: Option<ChannelId>,
    /// Its members receive a direct message.
    pub conversation_id: ConversationId,
    /// Receives a direct message read, if `read_by_sender`; users who have muted the sender do in any case.
    pub sender_id: UserId,
    /// Whether the sender has read it.
    pub read_by_sender: bool,
    /// Ids of users mentioned by name.
    pub mentioned_users: &'a str,
    /// Ids of groups mentioned.
    pub mentioned_groups: &'a str,
    /// Whether all subscribers of the channel, or all members of the conversation, are mentioned.
    pub stream_wildcard: bool,
    /// Ids of the participants of the topic, if they are mentioned as such.
    pub topic_participants: &'a str,
    /// Ids of mentioned users who are not subscribed but may read the channel.
    pub further_recipients: &'a str,
    /// Ids of the users one of whose alert words it holds.
    pub alerted_users: &'a str,
}

// Most lists are empty, and to compare a text takes less than to read a list.
macro_rules! deliver {
    ($recipients:literal) => {
        statement!(
            "INSERT INTO user_messages (user_id, message_id, flags) \
             SELECT r.user_id, ?1, iif(r.user_id = ?2 AND ?3:bigint = 1 \
                 OR r.user_id IN (SELECT user_id FROM muted_users WHERE muted_user_id = ?2), 1, 0) \
             | iif(?11 <> '[]' AND r.user_id IN (SELECT value FROM json_ids(?11)), 512, 0) \
             | iif(?4 <> '[]' AND r.user_id IN (SELECT value FROM json_ids(?4)), 8, 0) \
             | iif(?5 <> '[]' AND EXISTS (SELECT 1 FROM user_group_members m JOIN user_group_closure c \
                 ON c.subgroup_id = m.group_id WHERE m.user_id = r.user_id \
                 AND c.supergroup_id IN (SELECT value FROM json_ids(?5))), 72, 0) \
             | iif(?6:bigint = 1, 16, 0) | iif(?7 <> '[]' AND r.user_id IN (SELECT value FROM json_ids(?7)), 32, 0) \
             | iif(?8:bigint IS NULL, 2048, 0) FROM (",
            $recipients,
            ") r WHERE true ON CONFLICT DO NOTHING RETURNING flags, user_id"
        )
    };
}

row_struct! {
    /// The users who received a message with the same flags.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Recipients {
        /// Their flags on it; see [`crate::messages::flag`].
        pub flags: i64,
        /// The users.
        pub users: Json<Vec<UserId>>,
    }

    struct RecipientRow {
        flags: i64,
        user_id: UserId,
    }
}

/// Delivers a message to its recipients with their flags, in one statement, and returns them as [`recipients`] does.
/// Recipients are not looked up one by one, since few are deactivated.
pub fn deliver(tx: &WriteTx<'_>, delivery: &Delivery<'_>) -> Result<Vec<Recipients>, DbError> {
    let sql = if delivery.channel_id.is_none() {
        deliver!(
            "SELECT cm.user_id FROM conversation_members cm WHERE cm.conversation_id = ?9 \
             UNION ALL SELECT value FROM json_ids(?10) WHERE ?10 <> '[]'"
        )
    } else {
        deliver!(
            "SELECT s.user_id FROM subscriptions s INDEXED BY subscriptions_by_channel \
             WHERE ?9:bigint IS NOT NULL AND s.channel_id = ?8 AND s.active = 1 \
             AND s.user_id NOT IN (SELECT id FROM users WHERE is_active = 0) \
             UNION ALL SELECT value FROM json_ids(?10) WHERE ?10 <> '[]'"
        )
    };
    let params = params![
        delivery.message_id,
        delivery.sender_id,
        delivery.read_by_sender,
        delivery.mentioned_users,
        delivery.mentioned_groups,
        delivery.stream_wildcard,
        delivery.topic_participants,
        delivery.channel_id,
        delivery.conversation_id,
        delivery.further_recipients,
        delivery.alerted_users,
    ];
    let mut groups: BTreeMap<i64, Vec<UserId>> = BTreeMap::new();
    for row in tx.execute(sql, &params)?.all::<RecipientRow>()? {
        groups.entry(row.flags).or_default().push(row.user_id);
    }
    let recipients = groups.into_iter().map(|(flags, users)| Recipients {
        flags,
        users: Json(users),
    });
    Ok(recipients.collect())
}

/// The users who received a message, grouped by equal flags.
pub fn recipients(db: &dyn Db, message_id: MessageId) -> Result<Vec<Recipients>, DbError> {
    db.query(
        sql!(
            "SELECT flags, json_group_array(user_id) AS users FROM user_messages WHERE message_id = ?1 \
             GROUP BY flags ORDER BY flags"
        ),
        &params![message_id],
    )?
    .all()
}

/// Marks one message as read for all who have received it.
pub fn mark_read_by_all(tx: &WriteTx<'_>, message_id: MessageId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE user_messages SET flags = flags | 1 WHERE message_id = ?1"),
        &params![message_id],
    )?;
    Ok(())
}

/// Marks one message as read for a user; whether it was unread.
pub fn mark_read(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    user_id: UserId,
) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "UPDATE user_messages SET flags = flags | 1 \
         WHERE user_id = ?2 AND message_id = ?1 AND flags & 1 = 0 RETURNING message_id"
        ),
        &params![message_id, user_id],
    )?;
    Ok(!rows.rows.is_empty())
}
