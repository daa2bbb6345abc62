//! Personal flags of messages: changing them for many messages, and the details that clients need of messages that have
//! become unread.
//!
//! Every statement takes a JSON list of ids or a limit, so that a call holds the database for a bounded time. Bits are
//! defined by [`crate::messages::flag`]. The caller decides who may mark what.

use spindle_domain::{ChannelId, MessageId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, among, params, row_struct, sql, statement};

row_struct! {
    /// A message whose flags a user wants to change, with the facts that permission depends on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MarkedRow {
        pub id: MessageId,
        /// None for a direct message.
        pub channel_id: Option<ChannelId>,
        /// Whether the user is subscribed to the channel; true for direct messages.
        pub is_subscribed: bool,
        /// The user's flags; `None` when it was never delivered to them.
        pub flags: Option<i64>,
    }
}

/// The messages of a JSON list that exist, ascending.
pub fn marked(
    db: &dyn Db,
    realm_id: RealmId,
    user_id: UserId,
    ids: &str,
) -> Result<Vec<MarkedRow>, DbError> {
    db.query(
        sql!("SELECT m.id, m.channel_id, m.channel_id IS NULL OR EXISTS (SELECT 1 FROM subscriptions s \
             WHERE s.user_id = ?2 AND s.channel_id = m.channel_id AND s.active = 1) \
             AS is_subscribed, um.flags \
         FROM messages m LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?2 \
         WHERE m.realm_id = ?1 AND m.id IN (SELECT value FROM json_ids(?3)) ORDER BY m.id"),
        &params![realm_id, user_id, ids],
    )?
    .all()
}

row_struct! {
    /// A message that a statement has marked as read for a user.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) struct ReadRow {
        user_id: UserId,
        message_id: MessageId,
    }
}

/// Messages that were unread and are marked as read now, of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewlyRead {
    pub user_id: UserId,
    /// The messages, ascending.
    pub message_ids: Vec<MessageId>,
}

/// The messages of each user, by user.
pub(crate) fn by_reader(mut rows: Vec<ReadRow>) -> Vec<NewlyRead> {
    rows.sort_unstable();
    rows.chunk_by(|one, other| one.user_id == other.user_id)
        .filter_map(|rows| {
            Some(NewlyRead {
                user_id: rows.first()?.user_id,
                message_ids: rows.iter().map(|row| row.message_id).collect(),
            })
        })
        .collect()
}

/// Sets the bits `add` and clears the bits `remove` on the deliveries of a JSON list.
pub fn change(
    tx: &WriteTx<'_>,
    user_id: UserId,
    ids: &str,
    add: i64,
    remove: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE user_messages SET flags = (flags | ?3) & ~?4:bigint \
         WHERE user_id = ?1 AND message_id IN (SELECT value FROM json_ids(?2))"
        ),
        &params![user_id, ids, add, remove],
    )?;
    Ok(())
}

/// Delivers the messages of a JSON list to a user who had not received them, with the flags `read`
/// and `historical`; earlier deliveries are kept.
pub fn deliver_late(tx: &WriteTx<'_>, user_id: UserId, ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_messages (user_id, message_id, flags) \
         SELECT ?1, value, 1025 FROM json_ids(?2) WHERE true ON CONFLICT DO NOTHING"
        ),
        &params![user_id, ids],
    )?;
    Ok(())
}

/// Which unread messages become read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread<'a> {
    /// All.
    Everything,
    /// Those of a channel.
    Channel(ChannelId),
    /// Those of a topic of a channel; the topic is folded.
    Topic(ChannelId, &'a str),
    /// The messages that one user has sent.
    From(UserId),
}

/// Marks at most `limit` unread messages as read, the oldest first; returns their ids, ascending.
pub fn read_some(
    tx: &WriteTx<'_>,
    user_id: UserId,
    unread: Unread<'_>,
    limit: i64,
) -> Result<Vec<MessageId>, DbError> {
    let (channel_id, topic_folded, sender_id) = match unread {
        Unread::Everything => return read_oldest(tx, user_id, limit),
        Unread::Channel(id) => (Some(id), None, None),
        Unread::Topic(id, topic) => (Some(id), Some(topic), None),
        Unread::From(id) => (None, None, Some(id)),
    };
    let mut ids: Vec<MessageId> = tx
        .execute(
            statement!(
                "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?1 AND message_id ",
                among!(
                    "SELECT um.message_id FROM user_messages um INDEXED BY user_messages_unread \
                     JOIN messages m ON m.id = um.message_id \
                     WHERE um.user_id = ?1 AND um.flags & 1 = 0 \
                     AND (?2:bigint IS NULL OR m.channel_id = ?2) \
                     AND (?3:text IS NULL OR m.topic_folded = ?3) \
                     AND (?5:bigint IS NULL OR m.sender_id = ?5) ORDER BY um.message_id LIMIT ?4"
                ),
                " RETURNING message_id"
            ),
            &params![user_id, channel_id, topic_folded, limit, sender_id],
        )?
        .values()?;
    ids.sort_unstable();
    Ok(ids)
}

fn read_oldest(tx: &WriteTx<'_>, user_id: UserId, limit: i64) -> Result<Vec<MessageId>, DbError> {
    let mut ids: Vec<MessageId> = tx
        .execute(
            statement!(
                "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?1 AND message_id ",
                among!(
                    "SELECT message_id FROM user_messages INDEXED BY user_messages_unread \
                     WHERE user_id = ?1 AND flags & 1 = 0 ORDER BY message_id LIMIT ?2"
                ),
                " RETURNING message_id"
            ),
            &params![user_id, limit],
        )?
        .values()?;
    ids.sort_unstable();
    Ok(ids)
}

/// Whether any message of a topic was delivered to a user.
pub fn has_topic(
    db: &dyn Db,
    user_id: UserId,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<bool, DbError> {
    db.query(
        sql!(
            "SELECT EXISTS (SELECT 1 FROM messages m JOIN user_messages um \
             ON um.user_id = ?1 AND um.message_id = m.id \
             WHERE m.channel_id = ?2 AND m.topic_folded = ?3)"
        ),
        &params![user_id, channel_id, topic_folded],
    )?
    .one_value()
}

/// The conversations of the messages of a JSON list, for a client that has to count them as unread again
/// (docs/protocol/events.md#update_message_flags, `message_details`): a JSON object by message id.
/// The empty topic is empty.
pub fn details(db: &dyn Db, user_id: UserId, ids: &str) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT coalesce(json_group_object(m.id, json(json_patch( \
                 iif(m.channel_id IS NULL, json_object('type', 'private', 'user_ids', \
                     json((SELECT json_group_array(cm.user_id ORDER BY cm.user_id) \
                         FROM conversation_members cm WHERE cm.conversation_id = m.conversation_id \
                         AND cm.user_id <> ?1))), \
                     json_object('type', 'stream', 'stream_id', m.channel_id, 'topic', m.topic)), \
                 json(iif(um.flags & 72 <> 0 OR um.flags & 48 <> 0, '{\"mentioned\":true}', '{}'))))), '{}') \
             FROM user_messages um JOIN messages m ON m.id = um.message_id \
             WHERE um.user_id = ?1 AND um.message_id IN (SELECT value FROM json_ids(?2))"
        ),
        &params![user_id, ids],
    )?
    .one_value()
}

/// Marks a notice that a topic was resolved, or opened again, as read for the users whose setting
/// `resolved_topic_notice_auto_read_policy` asks for it.
pub fn read_resolution_notice(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE user_messages SET flags = flags | 1 WHERE message_id = ?1 AND flags & 1 = 0 \
         AND CASE (SELECT coalesce(u.settings ->> 'resolved_topic_notice_auto_read_policy', \
                 'except_followed') FROM users u WHERE u.id = user_messages.user_id) \
             WHEN 'always' THEN true WHEN 'never' THEN false \
             ELSE NOT EXISTS (SELECT 1 FROM user_topics t WHERE t.user_id = user_messages.user_id \
                 AND t.channel_id = ?2 AND t.topic_folded = ?3 AND t.visibility_policy = 3) END"
        ),
        &params![message_id, channel_id, topic_folded],
    )?;
    Ok(())
}

/// The users who have read a message, ascending: active users who send read receipts, but not the
/// sender, nor users whom `reader_id` has muted or who have muted `reader_id`.
pub fn read_by(
    db: &dyn Db,
    message_id: MessageId,
    sender_id: UserId,
    reader_id: UserId,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT u.id FROM user_messages um JOIN users u ON u.id = um.user_id \
             WHERE um.message_id = ?1 AND um.flags & 1 <> 0 AND u.is_active = 1 AND u.id <> ?2 \
             AND coalesce(u.settings -> 'send_read_receipts', 'true') = 'true' \
             AND NOT EXISTS (SELECT 1 FROM muted_users mu \
                 WHERE mu.user_id = ?3 AND mu.muted_user_id = u.id) \
             AND NOT EXISTS (SELECT 1 FROM muted_users mu \
                 WHERE mu.user_id = u.id AND mu.muted_user_id = ?3) ORDER BY u.id"
        ),
        &params![message_id, sender_id, reader_id],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    const ANN: UserId = UserId(1);
    const BOB: UserId = UserId(2);
    const TEA: ChannelId = ChannelId(7);

    fn fill(tx: &WriteTx<'_>) {
        for email in ["a@x", "b@x"] {
            testing::add_user(tx, email);
        }
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind, members_key) VALUES \
             (1, 1, 'channel', NULL), (2, 1, 'direct', '1,2')",
            "INSERT INTO conversation_members (user_id, conversation_id) VALUES (1, 2), (2, 2)",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (7, 1, 1, 'c', 'c', 5)",
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) VALUES \
             (11, 1, 1, 1, 7, 'Tea', 'tea', '', '', 1, ''), (12, 1, 1, 1, 7, '', '', '', '', 1, ''), \
             (13, 1, 1, 2, NULL, '', '', '', '', 1, ''), (14, 1, 1, 1, 7, 'tea', 'tea', '', '', 1, '')",
            "INSERT INTO user_messages (user_id, message_id, flags) VALUES \
             (2, 11, 0), (2, 12, 8), (2, 13, 2048), (2, 14, 1)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
    }

    fn flags(tx: &WriteTx<'_>) -> Vec<i64> {
        tx.execute(
            "SELECT flags FROM user_messages WHERE user_id = 2 ORDER BY message_id",
            &[],
        )
        .unwrap()
        .values()
        .unwrap()
    }

    #[test]
    fn flags_are_changed_for_lists() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        fill(&tx);
        change(&tx, BOB, "[11,13,99]", 2, 0).unwrap();
        change(&tx, BOB, "[14,11]", 0, 3).unwrap();
        assert_eq!(flags(&tx), [0, 8, 2050, 0]);
        deliver_late(&tx, ANN, "[11]").unwrap();
        deliver_late(&tx, BOB, "[11]").unwrap();
        let row = |id, flags| MarkedRow {
            id: MessageId(id),
            channel_id: Some(TEA),
            is_subscribed: false,
            flags,
        };
        assert_eq!(
            marked(&tx, RealmId::ONLY, ANN, "[14,11,99]").unwrap(),
            [row(11, Some(1025)), row(14, None)]
        );
        assert!(marked(&tx, RealmId::ONLY, BOB, "[13]").unwrap()[0].is_subscribed);
    }

    #[test]
    fn unread_messages_become_read_in_parts() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        fill(&tx);
        assert_eq!(
            read_some(&tx, BOB, Unread::Topic(TEA, "tea"), 9).unwrap(),
            [MessageId(11)]
        );
        let none = read_some(&tx, BOB, Unread::Topic(TEA, "tea"), 9).unwrap();
        assert!(none.is_empty());
        change(&tx, BOB, "[11]", 0, 1).unwrap();
        assert_eq!(
            read_some(&tx, BOB, Unread::Channel(TEA), 1).unwrap(),
            [MessageId(11)]
        );
        assert_eq!(
            read_some(&tx, BOB, Unread::Everything, 1).unwrap(),
            [MessageId(12)]
        );
        assert_eq!(
            read_some(&tx, BOB, Unread::Everything, 9).unwrap(),
            [MessageId(13)]
        );
        assert_eq!(flags(&tx), [1, 9, 2049, 1]);
        change(&tx, BOB, "[11]", 0, 1).unwrap();
        assert_eq!(
            read_some(&tx, BOB, Unread::From(BOB), 9).unwrap(),
            [] as [MessageId; 0]
        );
        assert_eq!(
            read_some(&tx, BOB, Unread::From(ANN), 9).unwrap(),
            [MessageId(11)]
        );
        assert!(has_topic(&tx, BOB, TEA, "tea").unwrap());
        assert!(!has_topic(&tx, ANN, TEA, "tea").unwrap());
        assert!(!has_topic(&tx, BOB, TEA, "coffee").unwrap());
    }

    #[test]
    fn details_tell_where_a_message_is() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        fill(&tx);
        let details: serde_json::Value =
            serde_json::from_str(&details(&tx, BOB, "[11,12,13]").unwrap()).unwrap();
        assert_eq!(
            details,
            serde_json::json!({
                "11": {"type": "stream", "stream_id": 7, "topic": "Tea"},
                "12": {"type": "stream", "stream_id": 7, "topic": "", "mentioned": true},
                "13": {"type": "private", "user_ids": [1]}})
        );
    }
}
