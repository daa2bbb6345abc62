//! Conversations: what a message is sent to. Their ids are the `recipient_id` of the wire,
//! a number space of its own.

use spindle_domain::{ConversationId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Creates the conversation of a new channel; returns its id.
pub fn insert_channel(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<ConversationId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO conversations (realm_id, kind) VALUES (?1, 'channel') RETURNING id"
        ),
        &params![realm_id],
    )?
    .one_value()
}

/// Finds the direct conversation of exactly these people: ascending ids joined by commas.
pub fn direct(
    db: &dyn Db,
    realm_id: RealmId,
    members_key: &str,
) -> Result<Option<ConversationId>, DbError> {
    Ok(direct_with_use(db, realm_id, members_key)?.map(|found| found.id))
}

row_struct! {
    /// A direct conversation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DirectConversation {
        /// `recipient_id` of its messages.
        pub id: ConversationId,
        /// Whether it holds any message.
        pub has_messages: bool,
    }
}

/// As [`direct`], with whether the conversation holds any message.
pub fn direct_with_use(
    db: &dyn Db,
    realm_id: RealmId,
    members_key: &str,
) -> Result<Option<DirectConversation>, DbError> {
    db.query(
        sql!(
            "SELECT id, EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.id) \
             AS has_messages \
             FROM conversations c WHERE realm_id = ?1 AND members_key = ?2"
        ),
        &params![realm_id, members_key],
    )?
    .first()
}

/// Ids of the direct conversations that include all users in a JSON list of distinct ids.
pub fn including(db: &dyn Db, members: &str) -> Result<Vec<ConversationId>, DbError> {
    db.query(
        sql!(
            "SELECT conversation_id FROM conversation_members \
             WHERE user_id IN (SELECT value FROM json_ids(?1)) GROUP BY conversation_id \
             HAVING count(*) = json_array_length(?1) ORDER BY conversation_id"
        ),
        &params![members],
    )?
    .values()
}

/// Creates a direct conversation; returns its id.
///
/// # Errors
/// [`DbError::NotUnique`] when it exists.
pub fn insert_direct(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    members_key: &str,
) -> Result<ConversationId, DbError> {
    let id: ConversationId = tx
        .execute(
            statement!(
                "INSERT INTO conversations (realm_id, kind, members_key) VALUES (?1, 'direct', ?2) \
             RETURNING id"
            ),
            &params![realm_id, members_key],
        )?
        .one_value()?;
    tx.execute(
        statement!(
            "INSERT INTO conversation_members (user_id, conversation_id) \
         SELECT value, ?1 FROM json_ids('[' || ?2:text || ']')"
        ),
        &params![id, members_key],
    )?;
    Ok(id)
}

/// The direct conversations of a user among their newest `limit` direct messages, newest
/// first, as far as they have `most_people` together, as a JSON list (docs/protocol/register.md#sections, `recent_private_conversations`).
pub fn recent(
    db: &dyn Db,
    user_id: UserId,
    limit: i64,
    most_people: i64,
) -> Result<String, DbError> {
    db.query(
        sql!("SELECT json_group_array(json_object('user_ids', json((SELECT json_group_array(cm.user_id \
             ORDER BY cm.user_id) FROM conversation_members cm \
             WHERE cm.conversation_id = r.conversation_id AND cm.user_id <> ?1)), \
             'max_message_id', r.newest) ORDER BY r.newest DESC) \
         FROM (SELECT c.conversation_id, c.newest, CAST(sum((SELECT count(*) FROM conversation_members cm \
                 WHERE cm.conversation_id = c.conversation_id)) OVER (ORDER BY c.newest DESC) AS BIGINT) AS people \
         FROM (SELECT m.conversation_id, max(m.id) AS newest FROM (SELECT message_id \
             FROM user_messages INDEXED BY user_messages_private \
             WHERE user_id = ?1 AND flags & 2048 <> 0 \
             ORDER BY message_id DESC LIMIT ?2) d JOIN messages m ON m.id = d.message_id \
             GROUP BY m.conversation_id) c) r WHERE r.people <= ?3:bigint"),
        &params![user_id, limit, most_people],
    )?
    .one_value()
}
