//! Messages of an export and who has received them.

use spindle_domain::{MessageId, UserId};

use super::{Table, json_flag, streamed};
use crate::{Connection, Db, DbError, Query, Value, params, row_struct, sql};

/// The recipient of a message: the channel's or group's conversation; of two people the other
/// one, as seen by the sender; of a note to oneself the own one.
macro_rules! recipient {
    () => {
        "CASE WHEN m.channel_id IS NOT NULL THEN m.conversation_id \
         WHEN (SELECT count(*) FROM conversation_members n \
             WHERE n.conversation_id = m.conversation_id) > 2 THEN m.conversation_id \
         ELSE (SELECT shift FROM archive_facts) + coalesce((SELECT n.user_id \
             FROM conversation_members n WHERE n.conversation_id = m.conversation_id \
             AND n.user_id <> m.sender_id), m.sender_id) END"
    };
}

/// What was done to a message; nothing when it has left a channel that is not part of the export,
/// because that would tell what was said there.
macro_rules! known_history {
    () => {
        "iif(EXISTS (SELECT 1 FROM json_texts(m.edit_history) e \
             WHERE CAST(e.value ->> 'prev_stream' AS BIGINT) NOT IN (SELECT id FROM archive_channels)), \
             NULL, m.edit_history)"
    };
}

/// The buttons of messages of apps.
pub const BUTTONS: Table = Table {
    name: "spindle_buttons",
    sql: sql!(
        "SELECT json_object('id', m.id, 'buttons', json(m.buttons)) FROM archive_messages a \
         JOIN messages m ON m.id = a.id WHERE m.realm_id = ?1 AND m.buttons IS NOT NULL ORDER BY m.id"
    ),
};

row_struct! {
    /// A message of an export.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ArchivedMessage {
        pub id: MessageId,
        /// Its row, as JSON text.
        pub row: String,
    }
}

/// Ids of the messages that follow `after`, at most `limit`, ascending, as a JSON list.
pub fn message_ids(db: &dyn Db, after: MessageId, limit: i64) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(id) FROM (SELECT id FROM archive_messages WHERE id > ?1 \
             ORDER BY id LIMIT ?2) AS next"
        ),
        &params![after, limit],
    )?
    .one_value()
}

/// How many messages leave.
pub fn count_messages(db: &dyn Db) -> Result<u64, DbError> {
    let count = db
        .query(sql!("SELECT count(*) FROM archive_messages"), &[])?
        .one_value::<i64>()?;
    Ok(u64::try_from(count).unwrap_or_default())
}

/// These messages (a JSON list of ids), ascending.
pub fn messages(db: &dyn Db, ids: &str) -> Result<Vec<ArchivedMessage>, DbError> {
    db.query(
        sql!(
            "SELECT m.id, json_object('id', m.id, 'sender', m.sender_id, 'realm', m.realm_id, \
             'recipient', ",
            recipient!(),
            ", 'subject', m.topic, 'content', m.content, 'rendered_content', m.rendered_content, \
             'rendered_content_version', 1, 'date_sent', m.date_sent * 1.0, \
             'sending_client', (SELECT id FROM archive_clients WHERE name = m.client), 'last_edit_time', m.last_edit_time * 1.0, \
             'edit_history', ",
            known_history!(),
            ", 'has_attachment', ",
            json_flag!("m.properties & 4"),
            ", 'has_image', ",
            json_flag!("m.properties & 2"),
            ", 'has_link', ",
            json_flag!("m.properties & 1"),
            ", 'search_tsvector', NULL) AS row \
             FROM json_ids(?1) i JOIN messages m ON m.id = i.value ORDER BY m.id"
        ),
        &params![ids],
    )?
    .all()
}

/// A message that a user has received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    pub user_id: UserId,
    pub message_id: MessageId,
    /// Bits of the flags (docs/protocol/archive.md#flags), which are those of the layout.
    pub flags: i64,
}

/// Hands every receipt of these messages (a JSON list of ids) that leaves to `each`, by message
/// and person.
///
/// # Errors
/// [`DbError`] when the statement fails, or what `each` returns.
pub fn each_receipt<E: From<DbError>>(
    connection: &dyn Connection,
    ids: &str,
    mut each: impl FnMut(Receipt) -> Result<(), E>,
) -> Result<(), E> {
    streamed(connection, RECEIPTS, &params![ids], |row| match row {
        [
            Value::Integer(user),
            Value::Integer(message),
            Value::Integer(flags),
        ] => each(Receipt {
            user_id: UserId(*user),
            message_id: MessageId(*message),
            flags: *flags,
        }),
        _ => Err(DbError::NoRow.into()),
    })
}

const RECEIPTS: Query = sql!(
    "SELECT um.user_id, um.message_id, um.flags \
    FROM json_ids(?1) i CROSS JOIN user_messages um ON um.message_id = i.value \
    WHERE (SELECT scope FROM archive_facts) <> 1 OR um.user_id IN (SELECT id FROM archive_people) \
    ORDER BY um.message_id, um.user_id"
);
