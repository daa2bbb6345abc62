//! The policies and settings of users that decide whether they follow a topic after an event in it.
//!
//! Reads only. The caller decides what changes, and [`crate::user_topics`] writes it.

use spindle_domain::{ChannelId, MessageId, UserId, VisibilityPolicy};

use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// A user's settings for one topic.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct StandingRow {
        pub user_id: UserId,
        /// Whether the user has muted the channel.
        pub channel_muted: bool,
        /// The user's policy for the topic.
        pub policy: VisibilityPolicy,
        /// `automatically_follow_topics_where_mentioned`.
        pub follows_where_mentioned: bool,
        /// Whether the message was delivered to the user.
        pub received: bool,
    }
}

/// The settings of the users in a JSON list of ids for a topic and a message of it, by id; one statement.
pub fn of_users(
    db: &dyn Db,
    user_ids: &str,
    channel_id: ChannelId,
    topic_folded: &str,
    message_id: MessageId,
) -> Result<Vec<StandingRow>, DbError> {
    db.query(
        sql!(
            "SELECT u.id AS user_id, coalesce(s.is_muted, 0) AS channel_muted, \
                 coalesce(t.visibility_policy, 0) AS policy, \
                 coalesce(u.settings -> 'automatically_follow_topics_where_mentioned', 'true') = 'true' \
                     AS follows_where_mentioned, \
                 EXISTS (SELECT 1 FROM user_messages um \
                     WHERE um.user_id = u.id AND um.message_id = ?4) AS received \
             FROM users u \
             LEFT JOIN subscriptions s ON s.user_id = u.id AND s.channel_id = ?2 AND s.active = 1 \
             LEFT JOIN user_topics t ON t.user_id = u.id AND t.channel_id = ?2 \
                 AND t.topic_folded = ?3 \
             WHERE u.id IN (SELECT value FROM json_ids(?1)) ORDER BY u.id"
        ),
        &params![user_ids, channel_id, topic_folded, message_id],
    )?
    .all()
}

/// Ids of the users who have written in a topic or put an emoji on one of its messages,
/// ascending.
pub fn participants(
    db: &dyn Db,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT sender_id AS user_id FROM messages WHERE channel_id = ?1 AND topic_folded = ?2 \
             UNION SELECT r.user_id FROM messages m JOIN reactions r ON r.message_id = m.id \
             WHERE m.channel_id = ?1 AND m.topic_folded = ?2 ORDER BY user_id"
        ),
        &params![channel_id, topic_folded],
    )?
    .values()
}

#[cfg(test)]
mod tests {
    use spindle_domain::{ConversationId, RealmId};

    use super::*;
    use crate::messages::{self, NewMessage};
    use crate::testing::{self, TestDatabase};

    #[test]
    fn standing_and_participants() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let users: [UserId; 3] =
            ["a@x", "b@x", "c@x"].map(|email| testing::add_user(&tx, email).into());
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created) \
             VALUES (1, 1, 1, 'Pub', 'pub', 5)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
        let new = NewMessage {
            realm_id: RealmId::ONLY,
            sender_id: users[0],
            conversation_id: ConversationId(1),
            channel_id: Some(ChannelId(1)),
            topic: "Tea",
            topic_folded: "tea",
            content: "x",
            rendered_content: "x",
            date_sent: 5,
            client: "c",
            properties: 0,
            buttons: None,
        };
        let id = messages::insert(&tx, &new).unwrap();
        let sql = "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name) \
             VALUES (?1, ?2, 'unicode_emoji', '1f6e0', 'tool')";
        tx.execute(sql, &params![id, users[2]]).unwrap();
        assert_eq!(
            participants(&tx, ChannelId(1), "tea"),
            Ok(vec![users[0], users[2]])
        );
        assert_eq!(participants(&tx, ChannelId(1), "other"), Ok(vec![]));
        for sql in [
            "INSERT INTO subscriptions (user_id, channel_id, color, is_muted) VALUES (?2, 1, '#000000', 1)",
            "INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, \
             last_updated) VALUES (?2, 1, 'tea', 'Tea', 3, 9)",
            "INSERT INTO user_messages (user_id, message_id) VALUES (?2, ?1)",
            "UPDATE users SET settings = '{\"automatically_follow_topics_where_mentioned\":false}' \
             WHERE id = ?2 AND ?1",
        ] {
            tx.execute(sql, &params![id, users[1]]).unwrap();
        }
        let row = |user_id, set: bool| StandingRow {
            user_id,
            channel_muted: set,
            policy: if set {
                VisibilityPolicy::Followed
            } else {
                VisibilityPolicy::Inherit
            },
            follows_where_mentioned: !set,
            received: set,
        };
        let all = crate::id_list([users[0], users[1]]);
        assert_eq!(
            of_users(&tx, &all, ChannelId(1), "tea", id),
            Ok(vec![row(users[0], false), row(users[1], true)])
        );
    }
}
