//! The topics of a channel, as its messages have them: topics have no table of their own.
//!
//! A channel may have a million messages in a few hundred topics, so the index is jumped through
//! from topic to topic instead of being read.

use spindle_domain::{ChannelId, MessageId, UserId};

use crate::{Db, DbError, params, row_struct, sql};

/// The topics of a channel as a JSON list of `{name, max_id}`, newest first; each is named as it
/// was last written. `empty_topic` is the name shown for the empty topic. `received_by`: only
/// messages that were delivered to this user count. Beyond `most_bytes` of JSON, the oldest are left out.
pub fn list(
    db: &dyn Db,
    channel_id: ChannelId,
    received_by: Option<UserId>,
    empty_topic: &str,
    most_bytes: i64,
) -> Result<String, DbError> {
    db.query(
        sql!(
            "WITH RECURSIVE names(topic) AS ( \
                 SELECT min(topic_folded) FROM messages WHERE channel_id = ?1 \
                 UNION ALL SELECT (SELECT min(m.topic_folded) FROM messages m \
                     WHERE m.channel_id = ?1 AND m.topic_folded > names.topic) \
                 FROM names WHERE names.topic IS NOT NULL), \
             newest(id) AS MATERIALIZED (SELECT CASE WHEN ?2:bigint IS NULL \
                 THEN (SELECT max(m.id) FROM messages m \
                     WHERE m.channel_id = ?1 AND m.topic_folded = names.topic) \
                 ELSE (SELECT m.id FROM messages m JOIN user_messages um \
                         ON um.user_id = ?2 AND um.message_id = m.id \
                     WHERE m.channel_id = ?1 AND m.topic_folded = names.topic \
                     ORDER BY m.id DESC LIMIT 1) END \
                 FROM names WHERE names.topic IS NOT NULL) \
             SELECT json_group_array(json_object('name', iif(sized.topic = '', ?3, sized.topic), \
                 'max_id', sized.id) ORDER BY sized.id DESC) \
             FROM (SELECT m.id, m.topic, sum(octet_length(m.topic) + 40) \
                     OVER (ORDER BY m.id DESC) AS bytes \
                 FROM newest JOIN messages m ON m.id = newest.id) AS sized \
             WHERE sized.bytes <= ?4:bigint"
        ),
        &params![channel_id, received_by, empty_topic, most_bytes],
    )?
    .one_value()
}

row_struct! {
    /// The last message of a topic.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct NewestRow {
        pub id: MessageId,
        /// Its sender.
        pub sender_id: UserId,
        /// UNIX seconds.
        pub date_sent: i64,
        /// Markdown.
        pub content: String,
    }
}

/// The last message of a topic.
pub fn newest(
    db: &dyn Db,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<Option<NewestRow>, DbError> {
    db.query(
        sql!(
            "SELECT id, sender_id, date_sent, content FROM messages \
             WHERE channel_id = ?1 AND topic_folded = ?2 ORDER BY id DESC LIMIT 1"
        ),
        &params![channel_id, topic_folded],
    )?
    .first()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, TestDatabase};

    #[test]
    fn topics_are_listed_newest_first_as_last_written() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        testing::add_user(&tx, "a@x");
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel'), (2, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (7, 1, 1, 'c', 'c', 5), (8, 1, 2, 'd', 'd', 5)",
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
             topic_folded, content, rendered_content, date_sent, client) VALUES \
             (11, 1, 1, 1, 7, 'tea', 'tea', '', '', 1, ''), (12, 1, 1, 1, 7, '', '', '', '', 1, ''), \
             (13, 1, 1, 1, 7, 'Tea', 'tea', '', '', 1, ''), (14, 1, 1, 1, 7, 'b', 'b', '', '', 1, ''), \
             (15, 1, 1, 2, 8, 'other', 'other', '', '', 1, '')",
            "INSERT INTO user_messages (user_id, message_id, flags) VALUES (1, 11, 1), (1, 14, 0)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        assert_eq!(
            list(&tx, ChannelId(7), None, "x", 1000).unwrap(),
            r#"[{"name":"b","max_id":14},{"name":"Tea","max_id":13},{"name":"x","max_id":12}]"#
        );
        assert_eq!(
            list(&tx, ChannelId(7), Some(UserId(1)), "", 1000).unwrap(),
            r#"[{"name":"b","max_id":14},{"name":"tea","max_id":11}]"#
        );
        assert_eq!(list(&tx, ChannelId(9), None, "", 1000).unwrap(), "[]");
        let cut = list(&tx, ChannelId(7), None, "", 50).unwrap();
        assert_eq!(cut.matches("max_id").count(), 1, "{cut}");
        let newest = newest(&tx, ChannelId(7), "tea").unwrap();
        assert_eq!(newest.map(|row| row.id), Some(MessageId(13)));
    }

    /// The plan must jump from topic to topic, never read all messages.
    #[test]
    fn every_step_is_by_an_index() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let plan = tx
            .execute(
                "EXPLAIN QUERY PLAN SELECT min(m.topic_folded) FROM messages m \
                 WHERE m.channel_id = 1 AND m.topic_folded > 'a'",
                &[],
            )
            .unwrap();
        let text = format!("{:?}", plan.rows);
        assert!(
            text.contains("messages_by_topic (channel_id=? AND topic_folded>?"),
            "{text}"
        );
    }
}
