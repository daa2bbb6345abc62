//! Topics that users have muted, unmuted or followed.
//!
//! A topic without a row is as its channel is ([`VisibilityPolicy::Inherit`]). Topics are compared
//! folded and shown as they were last written.

use spindle_domain::{ChannelId, UserId, VisibilityPolicy};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// The policies of a user as a JSON list of records (docs/protocol/register.md#sections), by
/// channel and topic. `empty_topic` is the name shown for the empty topic.
pub fn records(db: &dyn Db, user_id: UserId, empty_topic: &str) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('stream_id', channel_id, \
                 'topic_name', iif(topic = '', ?2, topic), 'last_updated', last_updated, \
                 'visibility_policy', visibility_policy) ORDER BY channel_id, topic_folded) \
             FROM user_topics WHERE user_id = ?1"
        ),
        &params![user_id, empty_topic],
    )?
    .one_value()
}

row_struct! {
    /// The topics that a user has muted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MutedTopics {
        pub user_id: UserId,
        /// JSON list of lists of channel name, topic and UNIX seconds.
        pub topics: String,
    }

    /// The policy of a user for a topic.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct UserPolicy {
        pub user_id: UserId,
        /// Their policy.
        pub policy: VisibilityPolicy,
    }
}

/// The muted topics of each user in a JSON list of ids. Channels whose names the user may no longer see are left out.
/// Every user named is in the result.
pub fn muted(db: &dyn Db, user_ids: &str, empty_topic: &str) -> Result<Vec<MutedTopics>, DbError> {
    db.query(
        sql!(
            "SELECT u.id AS user_id, (SELECT json_group_array(json_array(ch.name, \
                     iif(t.topic = '', ?2, t.topic), t.last_updated) \
                     ORDER BY t.channel_id, t.topic_folded) \
                 FROM user_topics t JOIN channels ch ON ch.id = t.channel_id \
                 WHERE t.user_id = u.id AND t.visibility_policy = 1 AND (u.role <= 200 \
                     OR u.role < 600 AND ch.invite_only = 0 OR ch.is_web_public = 1 \
                     OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = u.id \
                         AND s.channel_id = ch.id AND s.active = 1))) AS topics \
             FROM json_ids(?1) w JOIN users u ON u.id = w.value ORDER BY u.id"
        ),
        &params![user_ids, empty_topic],
    )?
    .all()
}

/// The users who have set a policy for a topic, with it, by user.
pub fn of_topic(
    db: &dyn Db,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<Vec<UserPolicy>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, visibility_policy AS policy FROM user_topics INDEXED BY user_topics_by_topic \
             WHERE channel_id = ?1 AND topic_folded = ?2 ORDER BY user_id"
        ),
        &params![channel_id, topic_folded],
    )?
    .all()
}

/// The policies of users in a JSON list for a topic, by user.
pub fn of_users(
    db: &dyn Db,
    user_ids: &str,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<Vec<UserPolicy>, DbError> {
    db.query(
        sql!(
            "SELECT w.value AS user_id, coalesce(t.visibility_policy, 0) AS policy FROM json_ids(?1) w \
             LEFT JOIN user_topics t ON t.user_id = w.value AND t.channel_id = ?2 \
                 AND t.topic_folded = ?3 ORDER BY w.value"
        ),
        &params![user_ids, channel_id, topic_folded],
    )?
    .all()
}

/// Those of the users in a JSON list who have set a policy for fewer than `limit` topics, in the
/// order of their ids.
pub fn with_room(db: &dyn Db, user_ids: &str, limit: i64) -> Result<Vec<UserId>, DbError> {
    db.query(
        sql!(
            "SELECT w.value FROM json_ids(?1) w WHERE (SELECT count(*) FROM user_topics t \
             WHERE t.user_id = w.value) < ?2 ORDER BY w.value"
        ),
        &params![user_ids, limit],
    )?
    .values()
}

/// A topic of a channel, and its new policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicPolicy<'a> {
    /// The topic's channel.
    pub channel_id: ChannelId,
    /// As it was last written.
    pub topic: &'a str,
    /// Folded.
    pub topic_folded: &'a str,
    /// Any but [`VisibilityPolicy::Inherit`], which has no row: see [`clear`].
    pub policy: VisibilityPolicy,
}

/// Sets a policy for the users in a JSON list at `now` (UNIX seconds).
pub fn set(
    tx: &WriteTx<'_>,
    user_ids: &str,
    policy: &TopicPolicy<'_>,
    now: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, \
             last_updated) SELECT value, ?2, ?3, ?4, ?5, ?6 FROM json_ids(?1) WHERE true \
         ON CONFLICT (user_id, channel_id, topic_folded) DO UPDATE SET topic = excluded.topic, \
             visibility_policy = excluded.visibility_policy, last_updated = excluded.last_updated"
        ),
        &params![
            user_ids,
            policy.channel_id,
            policy.topic_folded,
            policy.topic,
            policy.policy,
            now
        ],
    )?;
    Ok(())
}

/// Removes the policies of the users in a JSON list for a topic.
pub fn clear(
    tx: &WriteTx<'_>,
    user_ids: &str,
    channel_id: ChannelId,
    topic_folded: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM user_topics WHERE channel_id = ?2 AND topic_folded = ?3 \
         AND user_id IN (SELECT value FROM json_ids(?1))"
        ),
        &params![user_ids, channel_id, topic_folded],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use VisibilityPolicy::{Followed, Inherit, Muted};

    use super::*;
    use crate::testing::{self, TestDatabase};

    fn channels(tx: &WriteTx<'_>) {
        for sql in [
            "INSERT INTO conversations (id, realm_id, kind) VALUES (1, 1, 'channel'), (2, 1, 'channel')",
            "INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, date_created, \
             invite_only) VALUES (1, 1, 1, 'Pub', 'pub', 5, 0), (2, 1, 2, 'Hid', 'hid', 6, 1)",
        ] {
            tx.execute(sql, &[]).unwrap();
        }
    }

    #[test]
    fn policies_are_set_changed_listed_and_cleared() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let [ann, bob]: [UserId; 2] =
            ["a@x", "b@x"].map(|email| testing::add_user(&tx, email).into());
        channels(&tx);
        let policy = |channel_id, topic, policy| TopicPolicy {
            channel_id: ChannelId(channel_id),
            topic,
            topic_folded: if topic == "Tea" { "tea" } else { topic },
            policy,
        };
        let both = format!("[{ann},{bob}]");
        set(&tx, &both, &policy(1, "tea", Followed), 7).unwrap();
        set(&tx, &format!("[{ann}]"), &policy(1, "Tea", Muted), 8).unwrap();
        set(&tx, &format!("[{ann}]"), &policy(2, "", Muted), 9).unwrap();
        let by = |user_id, policy| UserPolicy { user_id, policy };
        assert_eq!(
            of_topic(&tx, ChannelId(1), "tea").unwrap(),
            [by(ann, Muted), by(bob, Followed)]
        );
        assert_eq!(
            of_users(&tx, &both, ChannelId(2), "").unwrap(),
            [by(ann, Muted), by(bob, Inherit)]
        );
        assert_eq!(
            records(&tx, ann, "none").unwrap(),
            r#"[{"stream_id":1,"topic_name":"Tea","last_updated":8,"visibility_policy":1},{"stream_id":2,"topic_name":"none","last_updated":9,"visibility_policy":1}]"#
        );
        let lists = |user_id, topics: &str| MutedTopics {
            user_id,
            topics: topics.to_owned(),
        };
        // Users who are not in a private channel must not see its name.
        assert_eq!(
            muted(&tx, &both, "").unwrap(),
            [lists(ann, r#"[["Pub","Tea",8]]"#), lists(bob, "[]")]
        );
        clear(&tx, &both, ChannelId(1), "tea").unwrap();
        assert!(of_topic(&tx, ChannelId(1), "tea").unwrap().is_empty());
        assert!(records(&tx, bob, "").unwrap() == "[]");
    }
}
