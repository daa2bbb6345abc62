//! The conversations of a person, those with the newest messages first.
//!
//! Neither topics nor conversations store their newest message. The indexes of messages give it in one step for each,
//! however many messages a topic has.

use spindle_domain::limits::MAX_CONSIDERED_CONVERSATIONS;
use spindle_domain::{MessageId, UserId};

use crate::{Db, DbError, params, row_struct, sql};

/// Newest messages of a conversation whose senders are named.
const SENDERS_OF: i64 = 10;

row_struct! {
    /// A page of the list.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RecentConversationsRow {
        /// JSON list of objects as in docs/protocol/topics.md#get_recent_conversations.
        pub conversations: String,
        /// How many they are.
        pub count: i64,
    }
}

/// The topics of the channels that a user is subscribed to, and the user's direct conversations, whose newest message
/// is before `before`: at most `limit`. Each topic is named as it was last written; `empty_topic` is the name shown for
/// the empty topic. With protected history, only messages that were delivered to the user count. Archived channels do
/// not count.
pub fn page(
    db: &dyn Db,
    user_id: UserId,
    before: MessageId,
    limit: i64,
    empty_topic: &str,
) -> Result<RecentConversationsRow, DbError> {
    considering(
        db,
        user_id,
        before,
        limit,
        empty_topic,
        MAX_CONSIDERED_CONVERSATIONS,
    )
}

/// The same, of at most `most` topics and as many direct conversations.
fn considering(
    db: &dyn Db,
    user_id: UserId,
    before: MessageId,
    limit: i64,
    empty_topic: &str,
    most: i64,
) -> Result<RecentConversationsRow, DbError> {
    db.query(
        sql!(
            "WITH RECURSIVE mine(channel_id, is_protected) AS MATERIALIZED ( \
                 SELECT s.channel_id, iif(ch.invite_only = 1 AND ch.history_public_to_subscribers = 0, 1, 0) \
                 FROM subscriptions s JOIN channels ch ON ch.id = s.channel_id \
                 WHERE s.user_id = ?1 AND s.active = 1 AND ch.is_archived = 0), \
             names(channel_id, is_protected, topic) AS ( \
                 SELECT channel_id, is_protected, (SELECT min(m.topic_folded) FROM messages m \
                     WHERE m.channel_id = mine.channel_id) FROM mine \
                 UNION ALL SELECT n.channel_id, n.is_protected, (SELECT min(m.topic_folded) FROM messages m \
                     WHERE m.channel_id = n.channel_id AND m.topic_folded > n.topic) \
                 FROM names n WHERE n.topic IS NOT NULL), \
             topics(channel_id, is_protected, topic) AS MATERIALIZED ( \
                 SELECT channel_id, is_protected, topic FROM names WHERE topic IS NOT NULL LIMIT ?6), \
             directs(conversation_id) AS MATERIALIZED ( \
                 SELECT conversation_id FROM conversation_members WHERE user_id = ?1 LIMIT ?6), \
             newest(id, is_protected) AS MATERIALIZED ( \
                 SELECT CASE WHEN n.is_protected = 0 \
                     THEN (SELECT max(m.id) FROM messages m \
                         WHERE m.channel_id = n.channel_id AND m.topic_folded = n.topic) \
                     ELSE (SELECT m.id FROM messages m JOIN user_messages um \
                             ON um.user_id = ?1 AND um.message_id = m.id \
                         WHERE m.channel_id = n.channel_id AND m.topic_folded = n.topic \
                         ORDER BY m.id DESC LIMIT 1) END, n.is_protected \
                 FROM topics n \
                 UNION ALL SELECT (SELECT max(m.id) FROM messages m WHERE m.conversation_id = d.conversation_id), 0 \
                 FROM directs d), \
             wanted(id, is_protected) AS MATERIALIZED ( \
                 SELECT id, is_protected FROM newest WHERE id < ?2 ORDER BY id DESC LIMIT ?3) \
             SELECT json_group_array(json(iif(m.channel_id IS NULL, \
                 json_object('user_ids', json((SELECT json_group_array(cm.user_id ORDER BY cm.user_id) \
                         FROM conversation_members cm \
                         WHERE cm.conversation_id = m.conversation_id AND cm.user_id <> ?1)), \
                     'max_id', m.id, 'timestamp', m.date_sent, \
                     'sender_ids', json((SELECT json_group_array(s.sender_id ORDER BY s.last DESC) \
                         FROM (SELECT l.sender_id, max(l.id) AS last FROM (SELECT o.sender_id, o.id FROM messages o \
                             WHERE o.conversation_id = m.conversation_id ORDER BY o.id DESC LIMIT ?5) l \
                             GROUP BY l.sender_id) s))), \
                 json_object('stream_id', m.channel_id, 'topic', iif(m.topic = '', ?4, m.topic), \
                     'max_id', m.id, 'timestamp', m.date_sent, \
                     'sender_ids', json((SELECT json_group_array(s.sender_id ORDER BY s.last DESC) \
                         FROM (SELECT l.sender_id, max(l.id) AS last FROM (SELECT o.sender_id, o.id FROM messages o \
                             WHERE o.channel_id = m.channel_id AND o.topic_folded = m.topic_folded \
                             AND (w.is_protected = 0 OR EXISTS (SELECT 1 FROM user_messages um \
                                 WHERE um.user_id = ?1 AND um.message_id = o.id)) \
                             ORDER BY o.id DESC LIMIT ?5) l GROUP BY l.sender_id) s))))) \
                 ORDER BY m.id DESC) AS conversations, count(*) AS count \
             FROM wanted w JOIN messages m ON m.id = w.id"
        ),
        &params![user_id, before, limit, empty_topic, SENDERS_OF, most],
    )?
    .one()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    const ROWS: [&str; 6] = [
        "INSERT INTO conversations (id, realm_id, kind, members_key) VALUES (1, 1, 'channel', NULL), \
         (2, 1, 'channel', NULL), (3, 1, 'direct', '1,2'), (4, 1, 'channel', NULL)",
        "INSERT INTO conversation_members (user_id, conversation_id) VALUES (1, 3), (2, 3)",
        "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created, invite_only, \
         history_public_to_subscribers) VALUES (7, 1, 1, 'c', 'c', 5, 0, 1), (8, 1, 2, 'd', 'd', 5, 1, 0), \
         (9, 1, 4, 'e', 'e', 5, 0, 1)",
        "INSERT INTO subscriptions (user_id, channel_id, color, active) VALUES (1, 7, '', 1), (1, 8, '', 1), \
         (1, 9, '', 0)",
        "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
         topic_folded, content, rendered_content, date_sent, client) VALUES \
         (11, 1, 1, 1, 7, 'tea', 'tea', '', '', 21, ''), (12, 1, 2, 1, 7, '', '', '', '', 22, ''), \
         (13, 1, 2, 1, 7, 'Tea', 'tea', '', '', 23, ''), (14, 1, 1, 2, 8, 'b', 'b', '', '', 24, ''), \
         (15, 1, 2, 2, 8, 'b', 'b', '', '', 25, ''), (16, 1, 2, 2, 8, 'hidden', 'hidden', '', '', 26, ''), \
         (17, 1, 2, 3, NULL, '', '', '', '', 27, ''), (18, 1, 2, 4, 9, 'left', 'left', '', '', 28, '')",
        "INSERT INTO user_messages (user_id, message_id, flags) VALUES (1, 14, 1), (1, 17, 0)",
    ];

    #[test]
    fn conversations_are_listed_in_pages_newest_first() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for name in ["a@x", "b@x"] {
            testing::add_user(&tx, name);
        }
        for sql in ROWS {
            tx.execute(sql, &[]).unwrap();
        }
        let list = |before: i64, limit: i64, most: i64| {
            considering(&tx, UserId(1), MessageId(before), limit, "x", most).unwrap()
        };
        let first = list(99, 2, 9);
        assert_eq!(
            first.conversations,
            r#"[{"user_ids":[2],"max_id":17,"timestamp":27,"sender_ids":[2]},{"stream_id":8,"topic":"b","max_id":14,"timestamp":24,"sender_ids":[1]}]"#
        );
        assert_eq!(first.count, 2);
        let rest = list(14, 9, 9);
        assert_eq!(
            rest.conversations,
            r#"[{"stream_id":7,"topic":"Tea","max_id":13,"timestamp":23,"sender_ids":[2,1]},{"stream_id":7,"topic":"x","max_id":12,"timestamp":22,"sender_ids":[2]}]"#
        );
        assert_eq!((list(12, 9, 9).count, list(99, 9, 1).count), (0, 2));
        assert_eq!(list(12, 9, 9).conversations, "[]");
    }
}
