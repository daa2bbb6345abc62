//! Imported messages, who has received them, and the emoji on them.

use spindle_domain::{AttachmentId, MessageId, UserId};

use crate::message_words;
use crate::messages::NewMessage;
use crate::{Db, DbError, Statement, WriteTx, params, sql, statement};

/// A message that is imported: one that is written, with its id and what has become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedMessage<'a> {
    /// The id that it keeps.
    pub id: MessageId,
    /// The message as it would be written today.
    pub message: NewMessage<'a>,
    /// UNIX seconds of the last change of content; `None` when there was none.
    pub last_edit_time: Option<i64>,
    /// UNIX seconds of the last move; `None` when there was none.
    pub last_moved_time: Option<i64>,
    /// JSON list of changes, the newest first; `None` when it was never changed.
    pub edit_history: Option<&'a str>,
}

/// Adds a message; the full-text index follows automatically.
///
/// # Errors
/// [`DbError::NotUnique`] when its id is taken.
pub fn insert_message(tx: &WriteTx<'_>, new: &ImportedMessage<'_>) -> Result<(), DbError> {
    let message = &new.message;
    tx.execute(
        statement!(
            "INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, \
         topic_folded, content, rendered_content, date_sent, client, last_edit_time, \
         last_moved_time, edit_history, properties) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
        ),
        &params![
            new.id,
            message.realm_id,
            message.sender_id,
            message.conversation_id,
            message.channel_id,
            message.topic,
            message.topic_folded,
            message.content,
            message.rendered_content,
            message.date_sent,
            message.client,
            new.last_edit_time,
            new.last_moved_time,
            new.edit_history,
            message.properties,
        ],
    )?;
    message_words::add(tx, new.id, &message.place(), message.content)
}

/// An account has received a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedReceipt {
    pub user_id: UserId,
    pub message_id: MessageId,
    /// Bits of the flags.
    pub flags: i64,
}

/// Rows of one statement of many receipts.
const ROWS: usize = 16;

const INSERT_MANY: Statement = statement!(
    "INSERT INTO user_messages (user_id, message_id, flags) VALUES \
     (?1, ?2, ?3), (?4, ?5, ?6), (?7, ?8, ?9), (?10, ?11, ?12), \
     (?13, ?14, ?15), (?16, ?17, ?18), (?19, ?20, ?21), (?22, ?23, ?24), \
     (?25, ?26, ?27), (?28, ?29, ?30), (?31, ?32, ?33), (?34, ?35, ?36), \
     (?37, ?38, ?39), (?40, ?41, ?42), (?43, ?44, ?45), (?46, ?47, ?48) \
     ON CONFLICT DO NOTHING"
);

/// Whether this message is a direct one; `None` when there is no such message.
pub fn is_direct(db: &dyn Db, message_id: MessageId) -> Result<Option<bool>, DbError> {
    db.query(
        sql!("SELECT channel_id IS NULL FROM messages WHERE id = ?1"),
        &params![message_id],
    )?
    .value()
}

/// Notes who has received which message; of two receipts of the same person for the same message
/// the first one counts. It is fastest in the order of people and messages.
pub fn insert_receipts(tx: &WriteTx<'_>, receipts: &[ImportedReceipt]) -> Result<(), DbError> {
    let mut values = Vec::with_capacity(3 * ROWS);
    let mut chunks = receipts.chunks_exact(ROWS);
    for chunk in chunks.by_ref() {
        values.clear();
        for receipt in chunk {
            values.extend(params![receipt.user_id, receipt.message_id, receipt.flags]);
        }
        tx.execute(INSERT_MANY, &values)?;
    }
    for receipt in chunks.remainder() {
        tx.execute(
            statement!(
                "INSERT INTO user_messages (user_id, message_id, flags) \
             VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING"
            ),
            &params![receipt.user_id, receipt.message_id, receipt.flags],
        )?;
    }
    Ok(())
}

/// How many receipts there are.
pub fn count_receipts(db: &dyn Db) -> Result<i64, DbError> {
    db.query(sql!("SELECT count(*) FROM user_messages"), &[])?
        .one_value()
}

/// An emoji that a user has put on a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedReaction<'a> {
    pub message_id: MessageId,
    pub user_id: UserId,
    /// Type.
    pub reaction_type: &'a str,
    /// Code.
    pub emoji_code: &'a str,
    /// Name as it was typed.
    pub emoji_name: &'a str,
}

/// Adds a reaction. Returns whether there is such a message, and no such reaction yet.
pub fn insert_reaction(tx: &WriteTx<'_>, new: &ImportedReaction<'_>) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!(
            "INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, \
         emoji_name) SELECT id, ?2, ?3, ?4, ?5 FROM messages WHERE id = ?1 \
         ON CONFLICT DO NOTHING RETURNING 1"
        ),
        &params![
            new.message_id,
            new.user_id,
            new.reaction_type,
            new.emoji_code,
            new.emoji_name,
        ],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Sets the buttons (a JSON list) of a message that a bot has sent; false if there is none with this id.
pub fn set_buttons(
    tx: &WriteTx<'_>,
    message_id: MessageId,
    buttons: &str,
) -> Result<bool, DbError> {
    let found: Option<MessageId> = tx
        .execute(
            statement!(
                "UPDATE messages SET buttons = ?2 WHERE id = ?1 \
                 AND sender_id IN (SELECT id FROM users WHERE is_bot = 1) RETURNING id"
            ),
            &params![message_id, buttons],
        )?
        .value()?;
    Ok(found.is_some())
}

/// Sets the first message of every channel.
pub fn set_first_messages(tx: &WriteTx<'_>) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE channels SET first_message_id = (SELECT min(m.id) FROM messages m \
             WHERE m.conversation_id = channels.conversation_id)"
        ),
        &[],
    )?;
    Ok(())
}

/// Notes which of these messages (a JSON list of ids) name a file; missing ones are skipped.
pub fn insert_namings(
    tx: &WriteTx<'_>,
    attachment_id: AttachmentId,
    messages: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO attachment_messages (attachment_id, message_id) \
         SELECT ?1, id FROM messages WHERE id IN (SELECT value FROM json_ids(?2)) \
         ON CONFLICT DO NOTHING"
        ),
        &params![attachment_id, messages],
    )?;
    Ok(())
}
