//! Submessages: what polls and to-do lists consist of.
//!
//! Their content is kept as it was sent. They go with their message; with it they are read by
//! [`crate::messages`].

use crate::{Db, DbError, WriteTx, params, sql};

/// A submessage to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSubmessage<'a> {
    /// The message it belongs to.
    pub message_id: i64,
    /// Who has made it.
    pub sender_id: i64,
    /// `widget`.
    pub msg_type: &'a str,
    /// JSON text.
    pub content: &'a str,
}

/// Writes a submessage; returns its id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(tx: &WriteTx<'_>, new: &NewSubmessage<'_>) -> Result<i64, DbError> {
    tx.execute(
        "INSERT INTO submessages (message_id, sender_id, msg_type, content) \
         VALUES (?1, ?2, ?3, ?4) RETURNING id",
        &params![new.message_id, new.sender_id, new.msg_type, new.content],
    )?
    .read_one(|row| row.integer())
}

/// The content of the first submessage of a message.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first(db: &dyn Db, message_id: i64) -> Result<Option<String>, DbError> {
    db.query(
        sql!("SELECT content FROM submessages WHERE message_id = ?1 ORDER BY id LIMIT 1"),
        &params![message_id],
    )?
    .read_first(|row| row.text())
}
