//! Changes of messages that were sent: deleting, editing and moving them.
//!
//! Statements take JSON lists of ids, so that a topic is changed as cheaply as a message. What
//! hangs on a message refers to it with `ON DELETE CASCADE` and goes with it; deliveries are
//! taken first, because they are many and their table has no such clause.

use crate::{Db, DbError, params};

/// Deletes messages with everything that hangs on them; returns how many there were.
///
/// # Errors
/// [`DbError`] when a statement fails.
pub fn delete(db: &dyn Db, message_ids: &str) -> Result<usize, DbError> {
    db.execute(
        "DELETE FROM user_messages WHERE message_id IN (SELECT value FROM json_each(?1))",
        &params![message_ids],
    )?;
    let gone = db.execute(
        "DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?1)) RETURNING id",
        &params![message_ids],
    )?;
    Ok(gone.rows.len())
}

/// Users who received the same among some messages; both lists are ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The messages.
    pub message_ids: Vec<i64>,
    /// The users.
    pub users: Vec<i64>,
}

/// Who received which of the messages in a JSON list of ids.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn received(db: &dyn Db, message_ids: &str) -> Result<Vec<Received>, DbError> {
    db.execute(
        "SELECT ids, json_group_array(user_id ORDER BY user_id) FROM ( \
         SELECT user_id, json_group_array(message_id ORDER BY message_id) AS ids \
         FROM user_messages WHERE message_id IN (SELECT value FROM json_each(?1)) \
         GROUP BY user_id) GROUP BY ids ORDER BY ids",
        &params![message_ids],
    )?
    .read_all(|row| {
        Ok(Received {
            message_ids: row.json()?,
            users: row.json()?,
        })
    })
}

/// Looks up the first message of a channel anew. Returns its id (none: no message is left) if
/// that is not what was remembered.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn renew_first_message(db: &dyn Db, channel_id: i64) -> Result<Option<Option<i64>>, DbError> {
    db.execute(
        "UPDATE channels SET first_message_id = first.id FROM \
         (SELECT (SELECT min(m.id) FROM messages m JOIN channels c \
             ON c.conversation_id = m.conversation_id WHERE c.id = ?1) AS id) first \
         WHERE channels.id = ?1 AND channels.first_message_id IS NOT first.id \
         RETURNING first_message_id",
        &params![channel_id],
    )?
    .read_first(|row| row.optional_integer())
}

/// The newest messages of a topic, at most `limit`, ascending. `only_received_by`: leaves out
/// those that were not delivered to this user.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn newest_in_topic(
    db: &dyn Db,
    channel_id: i64,
    topic_folded: &str,
    only_received_by: Option<i64>,
    limit: i64,
) -> Result<Vec<i64>, DbError> {
    let mut ids = db
        .execute(
            "SELECT m.id FROM messages m WHERE m.channel_id = ?1 AND m.topic_folded = ?2 \
             AND (?3 IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
                 WHERE um.user_id = ?3 AND um.message_id = m.id)) \
             ORDER BY m.id DESC LIMIT ?4",
            &params![channel_id, topic_folded, only_received_by, limit],
        )?
        .read_all(|row| row.integer())?;
    ids.reverse();
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    /// The plan must not walk over all messages of the server.
    #[test]
    fn the_first_message_is_found_by_an_index() {
        let database = TestDatabase::with_realm();
        let db = database.db();
        let plan = db
            .execute(
                "EXPLAIN QUERY PLAN SELECT min(m.id) FROM messages m JOIN channels c \
                 ON c.conversation_id = m.conversation_id WHERE c.id = 1",
                &[],
            )
            .unwrap();
        let text = format!("{:?}", plan.rows);
        assert!(text.contains("messages_by_conversation"), "{text}");
        assert_eq!(renew_first_message(&db, 1), Ok(None));
        assert_eq!(delete(&db, "[1,2]"), Ok(0));
        assert_eq!(received(&db, "[1,2]"), Ok(Vec::new()));
    }
}
