//! Who gets a digest, and the topics in it.

use spindle_domain::{MessageId, RealmId, UserId};

use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// A person who may get a digest.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReaderRow {
        pub user_id: UserId,
        /// JSON object of their settings that differ from the defaults.
        pub settings: String,
    }
}

/// The people with ids above `after`, at most `limit`, who have signed in once and used no client since `inactive_since`
/// (UNIX seconds); by id.
pub fn readers(
    db: &dyn Db,
    realm_id: RealmId,
    after: i64,
    inactive_since: i64,
    limit: i64,
) -> Result<Vec<ReaderRow>, DbError> {
    db.query(
        sql!(
            "SELECT u.id AS user_id, u.settings FROM users u LEFT JOIN presences p ON p.user_id = u.id \
             WHERE u.realm_id = ?1 AND u.id > ?2 AND u.is_active = 1 AND u.is_bot = 0 AND u.last_login IS NOT NULL \
             AND coalesce(p.active_timestamp, 0) < ?3 ORDER BY u.id LIMIT ?4"
        ),
        &params![realm_id, after, inactive_since, limit],
    )?
    .all()
}

row_struct! {
    /// A topic with unread messages.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TopicRow {
        /// The name of the channel.
        pub channel: String,
        pub topic: String,
        /// How many messages the person has not read.
        pub messages: i64,
        /// How many people have written them.
        pub people: i64,
        /// The newest one.
        pub latest: MessageId,
    }
}

/// The topics with messages since `since` (UNIX seconds) that a person has not read, in channels that they are subscribed
/// to; those with the most writers first. Only the latest `window` messages to the person are looked at. Muted channels,
/// topics and people are left out.
pub fn topics(
    db: &dyn Db,
    user_id: UserId,
    since: i64,
    window: i64,
    limit: i64,
) -> Result<Vec<TopicRow>, DbError> {
    db.query(
        sql!(
            "SELECT c.name AS channel, l.topic, x.messages, x.people, x.latest FROM ( \
                 SELECT m.channel_id, count(*) AS messages, count(DISTINCT m.sender_id) AS people, max(m.id) AS latest \
                 FROM (SELECT message_id, flags FROM user_messages WHERE user_id = ?1 \
                     ORDER BY message_id DESC LIMIT ?3) um \
                 JOIN messages m ON m.id = um.message_id \
                 JOIN subscriptions s ON s.user_id = ?1 AND s.channel_id = m.channel_id AND s.active = 1 AND s.is_muted = 0 \
                 WHERE m.date_sent >= ?2 AND um.flags & 1 = 0 AND m.sender_id <> ?1 \
                 AND NOT EXISTS (SELECT 1 FROM user_topics t WHERE t.user_id = ?1 AND t.channel_id = m.channel_id \
                     AND t.topic_folded = m.topic_folded AND t.visibility_policy = 1) \
                 AND NOT EXISTS (SELECT 1 FROM muted_users mu \
                     WHERE mu.user_id = ?1 AND mu.muted_user_id = m.sender_id) \
                 GROUP BY m.channel_id, m.topic_folded \
                 ORDER BY people DESC, messages DESC, latest DESC LIMIT ?4) x \
             JOIN messages l ON l.id = x.latest JOIN channels c ON c.id = x.channel_id \
             ORDER BY x.people DESC, x.messages DESC, x.latest DESC"
        ),
        &params![user_id, since, window, limit],
    )?
    .all()
}
