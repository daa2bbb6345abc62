//! Changes of messages that were sent: deleting, editing and moving them.
//!
//! Statements take JSON lists of ids, so that a topic is changed as cheaply as a message. Rows that
//! refer to a message do so with `ON DELETE CASCADE`; only deliveries are deleted explicitly,
//! because they are many and their table has no such clause.

use spindle_domain::{ChannelId, ConversationId, MessageId, UserId};

use crate::message_flags::{NewlyRead, by_reader};
use crate::message_words;
use crate::{Db, DbError, Json, WriteTx, either, params, row_struct, sql, statement};

/// Deletes messages with all rows that refer to them; returns the number of messages deleted.
pub fn delete(tx: &WriteTx<'_>, message_ids: &str) -> Result<usize, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM user_messages WHERE message_id IN (SELECT value FROM json_ids(?1))"
        ),
        &params![message_ids],
    )?;
    let gone = tx.execute(
        statement!(
            "DELETE FROM messages WHERE id IN (SELECT value FROM json_ids(?1)) RETURNING id"
        ),
        &params![message_ids],
    )?;
    Ok(gone.rows.len())
}

row_struct! {
    /// Users who received the same among some messages; both lists are ascending.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Received {
        /// The messages that they received.
        pub message_ids: Json<Vec<MessageId>>,
        /// All users who received exactly these.
        pub users: Json<Vec<UserId>>,
    }
}

/// The users who received messages of a JSON list of ids, grouped by the messages that they received.
pub fn received(db: &dyn Db, message_ids: &str) -> Result<Vec<Received>, DbError> {
    db.query(
        sql!(
            "SELECT ids AS message_ids, json_group_array(user_id ORDER BY user_id) AS users FROM ( \
             SELECT user_id, CAST(json_group_array(message_id ORDER BY message_id) AS TEXT) AS ids \
             FROM user_messages WHERE message_id IN (SELECT value FROM json_ids(?1)) \
             GROUP BY user_id) AS lists GROUP BY ids ORDER BY ids"
        ),
        &params![message_ids],
    )?
    .all()
}

/// Updates the stored first message of a channel. Returns the new one (the inner `None`: no message is left), or `None`
/// when it has not changed.
pub fn renew_first_message(
    tx: &WriteTx<'_>,
    channel_id: ChannelId,
) -> Result<Option<Option<MessageId>>, DbError> {
    tx.execute(
        statement!(
            "UPDATE channels SET first_message_id = first.id FROM (SELECT (",
            either!(
                "SELECT min(m.id) FROM messages m JOIN channels c \
                 ON c.conversation_id = m.conversation_id WHERE c.id = ?1",
                // A minimum would be looked for among all ids, from the first on.
                "SELECT m.id FROM messages m WHERE (m.conversation_id, m.id) >= \
                     ((SELECT conversation_id FROM channels WHERE id = ?1), 0) \
                 AND m.conversation_id <= (SELECT conversation_id FROM channels WHERE id = ?1) \
                 ORDER BY m.conversation_id, m.id LIMIT 1"
            ),
            ") AS id) first \
         WHERE channels.id = ?1 AND channels.first_message_id IS DISTINCT FROM first.id \
         RETURNING first_message_id"
        ),
        &params![channel_id],
    )?
    .value()
}

/// Some of the messages of a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicPart<'a> {
    /// The topic's channel.
    pub channel_id: ChannelId,
    /// Its name, folded.
    pub topic_folded: &'a str,
    /// Messages with lower ids are left out.
    pub first_id: MessageId,
    /// Messages with higher ids are left out.
    pub last_id: MessageId,
    /// Messages that were not delivered to this user are left out.
    pub only_received_by: Option<UserId>,
}

/// Whether there is any message in a part of a topic.
pub fn has_any(db: &dyn Db, part: &TopicPart<'_>) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM messages m WHERE m.channel_id = ?1 AND m.topic_folded = ?2 \
         AND m.id >= ?3 AND m.id <= ?5 AND (?4:bigint IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
             WHERE um.user_id = ?4 AND um.message_id = m.id)))"),
        &params![
            part.channel_id,
            part.topic_folded,
            part.first_id,
            part.only_received_by,
            part.last_id
        ],
    )?
    .one_value()
}

/// The channel and topic that messages are moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination<'a> {
    pub channel_id: ChannelId,
    /// Its conversation.
    pub conversation_id: ConversationId,
    pub topic: &'a str,
    /// The topic, folded.
    pub topic_folded: &'a str,
}

/// Moves messages. `moved` (UNIX seconds) becomes their time of the last move; `None` leaves it unchanged.
pub fn relocate(
    tx: &WriteTx<'_>,
    message_ids: &str,
    destination: &Destination<'_>,
    moved: Option<i64>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE messages SET channel_id = ?2, conversation_id = ?3, topic = ?4, topic_folded = ?5, \
             last_moved_time = coalesce(?6, last_moved_time) \
         WHERE id IN (SELECT value FROM json_ids(?1))"),
        &params![
            message_ids,
            destination.channel_id,
            destination.conversation_id,
            destination.topic,
            destination.topic_folded,
            moved
        ],
    )?;
    let (conversation_id, topic) = (destination.conversation_id, destination.topic);
    message_words::relocate(tx, message_ids, conversation_id, topic)
}

/// The text that replaces a message's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewText<'a> {
    /// Markdown.
    pub content: &'a str,
    /// HTML.
    pub rendered_content: &'a str,
    /// See [`crate::messages::property`].
    pub properties: i64,
}

/// Replaces the text of a message at `now` (UNIX seconds).
pub fn edit(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    text: &NewText<'_>,
    now: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE messages SET content = ?2, rendered_content = ?3, properties = ?4, \
             last_edit_time = ?5 WHERE id = ?1"
        ),
        &params![
            message_id,
            text.content,
            text.rendered_content,
            text.properties,
            now
        ],
    )?;
    message_words::replace(tx, message_id, text.content)
}

/// Replaces the buttons of a message (a JSON list).
pub fn set_buttons(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    buttons: Option<&str>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE messages SET buttons = ?2 WHERE id = ?1"),
        &params![message_id, buttons],
    )?;
    Ok(())
}

/// Puts an entry (a JSON object) in front of the edit history of messages.
pub fn remember(tx: &WriteTx<'_>, message_ids: &str, entry: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE messages SET edit_history = '[' || ?2:text || coalesce(',' || substr(edit_history, 2), ']') \
         WHERE id IN (SELECT value FROM json_ids(?1))"),
        &params![message_ids, entry],
    )?;
    Ok(())
}

/// Removes the oldest entries of the edit history of messages until it has at most `limit` characters;
/// the newest is kept in any case.
pub fn shorten_history(tx: &WriteTx<'_>, message_ids: &str, limit: i64) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE messages SET edit_history = (SELECT json_group_array(json(value) ORDER BY key) \
             FROM (SELECT key, value, sum(length(value) + 1) OVER (ORDER BY key) AS total \
                 FROM json_texts(messages.edit_history)) AS entries WHERE key = 0 OR total < ?2:bigint) \
         WHERE id IN (SELECT value FROM json_ids(?1)) AND octet_length(edit_history) > ?2:bigint \
             AND length(edit_history) > ?2:bigint"
        ),
        &params![message_ids, limit],
    )?;
    Ok(())
}

/// The users whom a text mentions; lists are JSON text. As in [`crate::deliveries::Delivery`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks<'a> {
    /// Ids of users mentioned by name.
    pub mentioned_users: &'a str,
    /// Ids of groups mentioned.
    pub mentioned_groups: &'a str,
    /// Whether all subscribers of the channel, or all members of the conversation, are mentioned.
    pub stream_wildcard: bool,
    /// Ids of the participants of the topic, if they are mentioned as such.
    pub topic_participants: &'a str,
    /// Ids of the users one of whose alert words it holds.
    pub alerted_users: &'a str,
}

/// Updates the marks of mentions and alert words of a message for its recipients; writes only
/// deliveries that change.
pub fn update_marks(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    marks: &Marks<'_>,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE user_messages SET flags = (user_messages.flags & ~632) | new.bits FROM ( \
             SELECT um.user_id AS user_id, \
                 iif(um.user_id IN (SELECT value FROM json_ids(?2)), 8, 0) \
                 | iif(?3 <> '[]' AND EXISTS (SELECT 1 FROM user_group_members m \
                     JOIN user_group_closure c ON c.subgroup_id = m.group_id \
                     WHERE m.user_id = um.user_id \
                     AND c.supergroup_id IN (SELECT value FROM json_ids(?3))), 72, 0) \
                 | iif(?4:bigint = 1, 16, 0) | iif(um.user_id IN (SELECT value FROM json_ids(?5)), 32, 0) \
                 | iif(um.user_id IN (SELECT value FROM json_ids(?6)), 512, 0) AS bits \
             FROM user_messages um WHERE um.message_id = ?1) new \
         WHERE user_messages.message_id = ?1 AND user_messages.user_id = new.user_id \
             AND user_messages.flags & 632 <> new.bits"
        ),
        &params![
            message_id,
            marks.mentioned_users,
            marks.mentioned_groups,
            marks.stream_wildcard,
            marks.topic_participants,
            marks.alerted_users
        ],
    )?;
    Ok(())
}

/// Delivers a message to users (a JSON list) who had not received it, with the flags `read` and
/// `historical`.
pub fn deliver_late(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    user_ids: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_messages (user_id, message_id, flags) \
         SELECT value, ?1, 1025 FROM json_ids(?2) WHERE true ON CONFLICT DO NOTHING"
        ),
        &params![message_id, user_ids],
    )?;
    Ok(())
}

/// As [`deliver_late`], for messages and all active subscribers of a channel.
pub fn give_to_subscribers(
    tx: &WriteTx<'_>,
    message_ids: &str,
    channel_id: ChannelId,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO user_messages (user_id, message_id, flags) \
         SELECT s.user_id, i.value, 1025 FROM subscriptions s \
         JOIN users u ON u.id = s.user_id AND u.is_active = 1, json_ids(?1) i \
         WHERE s.channel_id = ?2 AND s.active = 1 ON CONFLICT DO NOTHING"
        ),
        &params![message_ids, channel_id],
    )?;
    Ok(())
}

/// Deletes the deliveries of messages to users; both are JSON lists.
pub fn take_back(tx: &WriteTx<'_>, message_ids: &str, user_ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM user_messages WHERE (user_id, message_id) IN ( \
         SELECT u.value, i.value FROM json_ids(?2) u, json_ids(?1) i)"
        ),
        &params![message_ids, user_ids],
    )?;
    Ok(())
}

/// Marks messages as read for users who are not subscribed to a channel. Returns the messages that were unread.
pub fn read_by_outsiders(
    tx: &WriteTx<'_>,
    message_ids: &str,
    channel_id: ChannelId,
) -> Result<Vec<NewlyRead>, DbError> {
    let rows = tx
        .execute(
            statement!(
                "UPDATE user_messages SET flags = flags | 1 \
             WHERE message_id IN (SELECT value FROM json_ids(?1)) AND flags & 1 = 0 \
             AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = user_messages.user_id \
                 AND s.channel_id = ?2 AND s.active = 1) RETURNING user_id, message_id"
            ),
            &params![message_ids, channel_id],
        )?
        .all()?;
    Ok(by_reader(rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    /// The plan must not walk over all messages of the server.
    #[test]
    fn the_first_message_is_found_by_an_index() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        let plan = tx
            .execute(
                "EXPLAIN QUERY PLAN SELECT min(m.id) FROM messages m JOIN channels c \
                 ON c.conversation_id = m.conversation_id WHERE c.id = 1",
                &[],
            )
            .unwrap();
        let text = format!("{:?}", plan.rows);
        assert!(text.contains("messages_by_conversation"), "{text}");
        assert_eq!(renew_first_message(&tx, ChannelId(1)), Ok(None));
        let part = TopicPart {
            channel_id: ChannelId(1),
            topic_folded: "t",
            first_id: MessageId::MIN,
            last_id: MessageId::MAX,
            only_received_by: Some(UserId(1)),
        };
        assert_eq!(has_any(&tx, &part), Ok(false));
        assert_eq!(delete(&tx, "[1,2]"), Ok(0));
        assert_eq!(received(&tx, "[1,2]"), Ok(Vec::new()));
    }
}
