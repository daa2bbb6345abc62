//! Conversations: what a message is sent to. Their ids are the `recipient_id` of the wire,
//! a number space of its own.

use crate::{Db, DbError, WriteTx, params, sql};

/// Creates the conversation of a new channel; returns its id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert_channel(tx: &WriteTx<'_>, realm_id: i64) -> Result<i64, DbError> {
    tx.execute(
        "INSERT INTO conversations (realm_id, kind) VALUES (?1, 'channel') RETURNING id",
        &params![realm_id],
    )?
    .read_one(|row| row.integer())
}

/// Finds the direct conversation of exactly these people: ascending ids joined by commas.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn direct(db: &dyn Db, realm_id: i64, members_key: &str) -> Result<Option<i64>, DbError> {
    Ok(direct_with_use(db, realm_id, members_key)?.map(|(id, _)| id))
}

/// As [`direct`], with whether the conversation holds any message.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn direct_with_use(
    db: &dyn Db,
    realm_id: i64,
    members_key: &str,
) -> Result<Option<(i64, bool)>, DbError> {
    db.query(
        sql!(
            "SELECT id, EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.id) \
             FROM conversations c WHERE realm_id = ?1 AND members_key = ?2"
        ),
        &params![realm_id, members_key],
    )?
    .read_first(|row| Ok((row.integer()?, row.flag()?)))
}

/// Ids of the direct conversations that include all users in a JSON list of distinct ids.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn including(db: &dyn Db, members: &str) -> Result<Vec<i64>, DbError> {
    db.query(
        sql!(
            "SELECT conversation_id FROM conversation_members \
             WHERE user_id IN (SELECT value FROM json_each(?1)) GROUP BY conversation_id \
             HAVING count(*) = json_array_length(?1) ORDER BY conversation_id"
        ),
        &params![members],
    )?
    .read_all(|row| row.integer())
}

/// Creates a direct conversation; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when it exists.
pub fn insert_direct(tx: &WriteTx<'_>, realm_id: i64, members_key: &str) -> Result<i64, DbError> {
    let id = tx
        .execute(
            "INSERT INTO conversations (realm_id, kind, members_key) VALUES (?1, 'direct', ?2) \
             RETURNING id",
            &params![realm_id, members_key],
        )?
        .read_one(|row| row.integer())?;
    tx.execute(
        "INSERT INTO conversation_members (user_id, conversation_id) \
         SELECT value, ?1 FROM json_each('[' || ?2 || ']')",
        &params![id, members_key],
    )?;
    Ok(id)
}

/// The direct conversations of a user among their newest `limit` direct messages, newest
/// first, as a JSON list (docs/protocol/register.md#sections, `recent_private_conversations`).
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn recent(db: &dyn Db, user_id: i64, limit: i64) -> Result<String, DbError> {
    db.query(
        sql!("SELECT json_group_array(json_object('user_ids', json((SELECT json_group_array(cm.user_id \
             ORDER BY cm.user_id) FROM conversation_members cm \
             WHERE cm.conversation_id = r.conversation_id AND cm.user_id <> ?1)), \
             'max_message_id', r.newest) ORDER BY r.newest DESC) \
         FROM (SELECT m.conversation_id, max(m.id) AS newest FROM (SELECT message_id \
             FROM user_messages INDEXED BY user_messages_private \
             WHERE user_id = ?1 AND flags & 2048 <> 0 \
             ORDER BY message_id DESC LIMIT ?2) d JOIN messages m ON m.id = d.message_id \
             GROUP BY m.conversation_id) r"),
        &params![user_id, limit],
    )?
    .read_one(|row| row.text())
}
