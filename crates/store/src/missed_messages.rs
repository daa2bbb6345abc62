//! Candidates for mails about missed messages, with the facts that decide, and the messages of such a mail.

use spindle_domain::{ConversationId, MessageId, SystemBot, UserId};

use crate::{Db, DbError, params, row_struct, sql};

row_struct! {
    /// A person and a message that they have not read: a direct one, one that mentions them, or one in a topic that they
    /// follow.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MissedRow {
        pub user_id: UserId,
        pub message_id: MessageId,
        pub conversation_id: ConversationId,
        /// Folded; empty for direct messages.
        pub topic: String,
        /// Their flags on it; see [`crate::messages::flag`].
        pub flags: i64,
        /// JSON object of their settings that differ from the defaults.
        pub settings: String,
        /// When they last used a client, UNIX seconds; 0: never.
        pub active_timestamp: i64,
        /// Whether they have muted the channel.
        pub channel_muted: bool,
        /// `wildcard_mentions_notify` of the subscription; `None` means their own default.
        pub wildcard_mentions_notify: Option<bool>,
        /// Their policy for the topic, as in [`crate::push_recipients::RecipientRow`].
        pub topic_policy: i64,
    }
}

/// The candidates among the recipients of the messages in a JSON list, as far as they have not written them and have not
/// muted who has; by message and user. People who never signed in get no mails, and no one gets one about a welcome.
pub fn of_messages(db: &dyn Db, messages: &str) -> Result<Vec<MissedRow>, DbError> {
    db.query(
        sql!(
            "SELECT um.user_id, m.id AS message_id, m.conversation_id, m.topic_folded AS topic, um.flags, u.settings, \
                 coalesce(p.active_timestamp, 0) AS active_timestamp, \
                 coalesce(s.is_muted, 0) AS channel_muted, s.wildcard_mentions_notify, \
                 iif(t.visibility_policy = 3 AND t.last_updated >= m.date_sent, 0, \
                     coalesce(t.visibility_policy, 0)) AS topic_policy \
             FROM messages m \
             JOIN user_messages um ON um.message_id = m.id \
             JOIN users u ON u.id = um.user_id AND u.is_active = 1 AND u.is_bot = 0 \
                 AND u.last_login IS NOT NULL \
             LEFT JOIN presences p ON p.user_id = um.user_id \
             LEFT JOIN subscriptions s ON s.user_id = um.user_id AND s.channel_id = m.channel_id \
                 AND s.active = 1 \
             LEFT JOIN user_topics t ON t.user_id = um.user_id AND t.channel_id = m.channel_id \
                 AND t.topic_folded = m.topic_folded \
             WHERE m.id IN (SELECT value FROM json_ids(?1)) \
             AND um.flags & 1 = 0 AND (um.flags & 2168 <> 0 OR t.visibility_policy = 3) \
             AND m.sender_id <> um.user_id \
             AND NOT EXISTS (SELECT 1 FROM users w WHERE w.id = m.sender_id AND w.email = ?2) \
             AND NOT EXISTS (SELECT 1 FROM muted_users mu \
                 WHERE mu.user_id = um.user_id AND mu.muted_user_id = m.sender_id) \
             ORDER BY m.id, um.user_id"
        ),
        &params![messages, SystemBot::Welcome.email()],
    )?
    .all()
}

/// The messages of a conversation, or of a topic of it, that a person has not read, from `first` on, at most `limit`.
pub fn unread_in(
    db: &dyn Db,
    user_id: UserId,
    conversation_id: ConversationId,
    topic: &str,
    first: MessageId,
    limit: i64,
) -> Result<Vec<MessageId>, DbError> {
    db.query(
        sql!(
            "SELECT m.id FROM messages m JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?1 \
             WHERE m.conversation_id = ?2 AND m.topic_folded = ?3 AND m.id >= ?4 \
             AND um.flags & 1 = 0 AND m.sender_id <> ?1 \
             AND NOT EXISTS (SELECT 1 FROM muted_users mu \
                 WHERE mu.user_id = ?1 AND mu.muted_user_id = m.sender_id) \
             ORDER BY m.id LIMIT ?5"
        ),
        &params![user_id, conversation_id, topic, first, limit],
    )?
    .values()
}
