//! Topics that users have muted, unmuted or followed.
//!
//! A topic without a row is as its channel is (policy 0). Topics are compared folded and shown
//! as they were last written. Policies: 1 muted, 2 unmuted, 3 followed.

use crate::{Db, DbError, WriteTx, params, sql};

/// The policies of a user as a JSON list of records (docs/protocol/register.md#sections), by
/// channel and topic. `empty_topic` is what stands for the empty topic.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, user_id: i64, empty_topic: &str) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(json_object('stream_id', channel_id, \
                 'topic_name', iif(topic = '', ?2, topic), 'last_updated', last_updated, \
                 'visibility_policy', visibility_policy) ORDER BY channel_id, topic_folded) \
             FROM user_topics WHERE user_id = ?1"
        ),
        &params![user_id, empty_topic],
    )?
    .read_one(|row| row.text())
}

/// The muted topics of each user in a JSON list of ids: `(user, JSON list)` of lists of channel
/// name, topic and UNIX seconds. Channels whose names the user may not know any more are left
/// out. Every user named is in the result.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn muted(
    db: &dyn Db,
    user_ids: &str,
    empty_topic: &str,
) -> Result<Vec<(i64, String)>, DbError> {
    db.query(
        sql!(
            "SELECT u.id, (SELECT json_group_array(json_array(ch.name, \
                     iif(t.topic = '', ?2, t.topic), t.last_updated) \
                     ORDER BY t.channel_id, t.topic_folded) \
                 FROM user_topics t JOIN channels ch ON ch.id = t.channel_id \
                 WHERE t.user_id = u.id AND t.visibility_policy = 1 AND (u.role <= 200 \
                     OR u.role < 600 AND ch.invite_only = 0 OR ch.is_web_public = 1 \
                     OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = u.id \
                         AND s.channel_id = ch.id AND s.active = 1))) \
             FROM json_each(?1) w JOIN users u ON u.id = w.value ORDER BY u.id"
        ),
        &params![user_ids, empty_topic],
    )?
    .read_all(|row| Ok((row.integer()?, row.text()?)))
}

/// Who has set anything for a topic: `(user, policy)`, by user.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn of_topic(
    db: &dyn Db,
    channel_id: i64,
    topic_folded: &str,
) -> Result<Vec<(i64, i64)>, DbError> {
    db.query(
        sql!(
            "SELECT user_id, visibility_policy FROM user_topics INDEXED BY user_topics_by_topic \
             WHERE channel_id = ?1 AND topic_folded = ?2 ORDER BY user_id"
        ),
        &params![channel_id, topic_folded],
    )?
    .read_all(|row| Ok((row.integer()?, row.integer()?)))
}

/// The policies of users in a JSON list for a topic: `(user, policy)`, 0 for none.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn of_users(
    db: &dyn Db,
    user_ids: &str,
    channel_id: i64,
    topic_folded: &str,
) -> Result<Vec<(i64, i64)>, DbError> {
    db.query(
        sql!(
            "SELECT w.value, coalesce(t.visibility_policy, 0) FROM json_each(?1) w \
             LEFT JOIN user_topics t ON t.user_id = w.value AND t.channel_id = ?2 \
                 AND t.topic_folded = ?3 ORDER BY w.value"
        ),
        &params![user_ids, channel_id, topic_folded],
    )?
    .read_all(|row| Ok((row.integer()?, row.integer()?)))
}

/// Those of the users in a JSON list who have set something for fewer than `limit` topics, in the
/// order of their ids.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn with_room(db: &dyn Db, user_ids: &str, limit: i64) -> Result<Vec<i64>, DbError> {
    db.query(
        sql!(
            "SELECT w.value FROM json_each(?1) w WHERE (SELECT count(*) FROM user_topics t \
             WHERE t.user_id = w.value) < ?2 ORDER BY w.value"
        ),
        &params![user_ids, limit],
    )?
    .read_all(|row| row.integer())
}

/// A topic of a channel, and what is to be set for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicPolicy<'a> {
    /// `stream_id`.
    pub channel_id: i64,
    /// As written.
    pub topic: &'a str,
    /// Folded.
    pub topic_folded: &'a str,
    /// 1, 2 or 3.
    pub policy: i64,
}

/// Sets a policy for the users in a JSON list at `now` (UNIX seconds).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set(
    tx: &WriteTx<'_>,
    user_ids: &str,
    policy: &TopicPolicy<'_>,
    now: i64,
) -> Result<(), DbError> {
    tx.execute(
        "INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, \
             last_updated) SELECT value, ?2, ?3, ?4, ?5, ?6 FROM json_each(?1) WHERE true \
         ON CONFLICT DO UPDATE SET topic = excluded.topic, \
             visibility_policy = excluded.visibility_policy, last_updated = excluded.last_updated",
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

/// Removes what the users in a JSON list have set for a topic.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn clear(
    tx: &WriteTx<'_>,
    user_ids: &str,
    channel_id: i64,
    topic_folded: &str,
) -> Result<(), DbError> {
    tx.execute(
        "DELETE FROM user_topics WHERE channel_id = ?2 AND topic_folded = ?3 \
         AND user_id IN (SELECT value FROM json_each(?1))",
        &params![user_ids, channel_id, topic_folded],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
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
        let (ann, bob) = (testing::add_user(&tx, "a@x"), testing::add_user(&tx, "b@x"));
        channels(&tx);
        let policy = |channel_id, topic, policy| TopicPolicy {
            channel_id,
            topic,
            topic_folded: if topic == "Tea" { "tea" } else { topic },
            policy,
        };
        let both = format!("[{ann},{bob}]");
        set(&tx, &both, &policy(1, "tea", 3), 7).unwrap();
        set(&tx, &format!("[{ann}]"), &policy(1, "Tea", 1), 8).unwrap();
        set(&tx, &format!("[{ann}]"), &policy(2, "", 1), 9).unwrap();
        assert_eq!(of_topic(&tx, 1, "tea").unwrap(), [(ann, 1), (bob, 3)]);
        assert_eq!(of_users(&tx, &both, 2, "").unwrap(), [(ann, 1), (bob, 0)]);
        assert_eq!(
            records(&tx, ann, "none").unwrap(),
            r#"[{"stream_id":1,"topic_name":"Tea","last_updated":8,"visibility_policy":1},{"stream_id":2,"topic_name":"none","last_updated":9,"visibility_policy":1}]"#
        );
        // The name of the private channel is not for those who are not in it.
        assert_eq!(
            muted(&tx, &both, "").unwrap(),
            [
                (ann, r#"[["Pub","Tea",8]]"#.to_owned()),
                (bob, "[]".to_owned())
            ]
        );
        clear(&tx, &both, 1, "tea").unwrap();
        assert!(of_topic(&tx, 1, "tea").unwrap().is_empty());
        assert!(records(&tx, bob, "").unwrap() == "[]");
    }
}
