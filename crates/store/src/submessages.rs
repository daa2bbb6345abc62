//! Submessages: the parts of polls and to-do lists.
//!
//! Their content is kept as it was sent. They are deleted with their message, and
//! [`crate::messages`] reads them with it.

use spindle_domain::{MessageId, SubmessageId, UserId};

use crate::{Db, DbError, WriteTx, params, sql, statement};

/// A submessage to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSubmessage<'a> {
    /// The message it belongs to.
    pub message_id: MessageId,
    /// The account that adds it.
    pub sender_id: UserId,
    /// `widget`.
    pub msg_type: &'a str,
    /// JSON text.
    pub content: &'a str,
}

/// Writes a submessage; returns its id.
pub fn insert(tx: &WriteTx<'_>, new: &NewSubmessage<'_>) -> Result<SubmessageId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
         VALUES (?1, ?2, ?3, ?4) RETURNING id"
        ),
        &params![new.message_id, new.sender_id, new.msg_type, new.content],
    )?
    .one_value()
}

/// The content of the first submessage of a message.
pub fn first(db: &dyn Db, message_id: MessageId) -> Result<Option<String>, DbError> {
    db.query(
        sql!("SELECT content FROM submessages WHERE message_id = ?1 ORDER BY id LIMIT 1"),
        &params![message_id],
    )?
    .value()
}
