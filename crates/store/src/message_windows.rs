//! Windows of messages around an anchor, filtered by a narrow.
//!
//! Three constant statements for each way of walking the tables; what a narrow asks for goes
//! in as parameters, so that no statement is built from input. Only ids come out: contents
//! are read with `messages::by_ids`. What the reader may see goes in, decided by the caller.

use crate::{Db, DbError, Value, id_list, params};

/// Which messages are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// What was delivered to the reader.
    Received,
    /// Direct messages that the reader received or sent; by an index of their own, as are the
    /// next three, so that few among many are found at once.
    Direct,
    /// What the reader has starred.
    Starred,
    /// What mentions the reader.
    Mentioned,
    /// What the reader has not read.
    Unread,
    /// A channel whose whole history the reader may see.
    Channel,
    /// A topic of such a channel.
    Topic,
    /// All channels in the list `channels`, whole history.
    Channels,
}

/// What a message must be like. `None` and empty lists ask for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The reader.
    pub user_id: i64,
    /// Flag bits that must all be set.
    pub flags_all: i64,
    /// Flag bits of which none may be set.
    pub flags_none: i64,
    /// Flag bits of which one must be set.
    pub flags_any: i64,
    /// Property bits that must all be set.
    pub properties_all: i64,
    /// Property bits of which none may be set.
    pub properties_none: i64,
    /// In this channel.
    pub channel_id: Option<i64>,
    /// In one of these channels.
    pub channels: Option<Vec<i64>>,
    /// In none of these channels.
    pub channels_not: Vec<i64>,
    /// In this topic, folded.
    pub topic: Option<String>,
    /// In none of these topics, folded.
    pub topics_not: Vec<String>,
    /// In one of these conversations.
    pub conversations: Option<Vec<i64>>,
    /// In none of these conversations.
    pub conversations_not: Vec<i64>,
    /// From one of these senders.
    pub senders: Option<Vec<i64>>,
    /// From none of these senders.
    pub senders_not: Vec<i64>,
    /// One of these messages.
    pub ids: Option<Vec<i64>>,
    /// None of these messages.
    pub ids_not: Vec<i64>,
    /// Direct messages (true) or channel messages (false).
    pub direct: Option<bool>,
    /// In a resolved topic, or not.
    pub resolved: Option<bool>,
    /// Mentioning all of these users by name or group.
    pub mentions: Vec<i64>,
    /// Mentioning none of these users.
    pub mentions_not: Vec<i64>,
}

/// One side of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Ids up to the bound, the newest first.
    Before,
    /// Ids from the bound on, the oldest first.
    After,
}

macro_rules! conditions {
    () => {
        " AND (coalesce(um.flags, 1025) & ?4) = ?4 AND (coalesce(um.flags, 1025) & ?5) = 0 \
         AND (?6 = 0 OR (coalesce(um.flags, 1025) & ?6) <> 0) \
         AND (m.properties & ?7) = ?7 AND (m.properties & ?8) = 0 \
         AND (?9 IS NULL OR m.channel_id = ?9) \
         AND (?10 IS NULL OR m.channel_id IN (SELECT value FROM json_each(?10))) \
         AND (m.channel_id IS NULL OR m.channel_id NOT IN (SELECT value FROM json_each(?11))) \
         AND (?12 IS NULL OR m.channel_id IS NOT NULL AND m.topic_folded = ?12) \
         AND (m.channel_id IS NULL OR m.topic_folded NOT IN (SELECT value FROM json_each(?13))) \
         AND (?14 IS NULL OR m.conversation_id IN (SELECT value FROM json_each(?14))) \
         AND m.conversation_id NOT IN (SELECT value FROM json_each(?15)) \
         AND (?16 IS NULL OR m.sender_id IN (SELECT value FROM json_each(?16))) \
         AND m.sender_id NOT IN (SELECT value FROM json_each(?17)) \
         AND (?18 IS NULL OR m.id IN (SELECT value FROM json_each(?18))) \
         AND m.id NOT IN (SELECT value FROM json_each(?19)) \
         AND (?20 IS NULL OR (m.channel_id IS NULL) = ?20) \
         AND (?21 IS NULL OR (m.channel_id IS NOT NULL AND substr(m.topic, 1, 2) = char(10004, 32)) = ?21) \
         AND NOT EXISTS (SELECT 1 FROM json_each(?22) w WHERE NOT EXISTS (SELECT 1 \
             FROM user_messages o WHERE o.user_id = w.value AND o.message_id = m.id AND o.flags & 72 <> 0)) \
         AND NOT EXISTS (SELECT 1 FROM json_each(?23) w JOIN user_messages o \
             ON o.user_id = w.value AND o.message_id = m.id WHERE o.flags & 72 <> 0) "
    };
}

macro_rules! walk {
    ($from:literal, $before:literal, $after:literal, $side:expr) => {
        match $side {
            Side::Before => concat!(
                "SELECT m.id FROM ",
                $from,
                conditions!(),
                "AND ",
                $before,
                " LIMIT ?3"
            ),
            Side::After => concat!(
                "SELECT m.id FROM ",
                $from,
                conditions!(),
                "AND ",
                $after,
                " LIMIT ?3"
            ),
        }
    };
}

const fn statement(source: Source, side: Side) -> &'static str {
    match source {
        Source::Received => walk!(
            "user_messages um JOIN messages m ON m.id = um.message_id WHERE um.user_id = ?1",
            "um.message_id <= ?2 ORDER BY um.message_id DESC",
            "um.message_id >= ?2 ORDER BY um.message_id",
            side
        ),
        Source::Direct => walk!(
            "user_messages um INDEXED BY user_messages_private JOIN messages m \
             ON m.id = um.message_id WHERE um.user_id = ?1 AND um.flags & 2048 <> 0",
            "um.message_id <= ?2 ORDER BY um.message_id DESC",
            "um.message_id >= ?2 ORDER BY um.message_id",
            side
        ),
        Source::Starred => walk!(
            "user_messages um INDEXED BY user_messages_starred JOIN messages m \
             ON m.id = um.message_id WHERE um.user_id = ?1 AND um.flags & 2 <> 0",
            "um.message_id <= ?2 ORDER BY um.message_id DESC",
            "um.message_id >= ?2 ORDER BY um.message_id",
            side
        ),
        Source::Mentioned => walk!(
            "user_messages um INDEXED BY user_messages_mentioned JOIN messages m \
             ON m.id = um.message_id WHERE um.user_id = ?1 AND um.flags & 120 <> 0",
            "um.message_id <= ?2 ORDER BY um.message_id DESC",
            "um.message_id >= ?2 ORDER BY um.message_id",
            side
        ),
        Source::Unread => walk!(
            "user_messages um INDEXED BY user_messages_unread JOIN messages m \
             ON m.id = um.message_id WHERE um.user_id = ?1 AND um.flags & 1 = 0",
            "um.message_id <= ?2 ORDER BY um.message_id DESC",
            "um.message_id >= ?2 ORDER BY um.message_id",
            side
        ),
        Source::Channel => walk!(
            "messages m LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?1 \
             WHERE m.conversation_id = (SELECT conversation_id FROM channels WHERE id = ?9)",
            "m.id <= ?2 ORDER BY m.id DESC",
            "m.id >= ?2 ORDER BY m.id",
            side
        ),
        Source::Topic => walk!(
            "messages m LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?1 \
             WHERE m.channel_id = ?9 AND m.topic_folded = ?12",
            "m.id <= ?2 ORDER BY m.id DESC",
            "m.id >= ?2 ORDER BY m.id",
            side
        ),
        Source::Channels => walk!(
            "messages m LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?1 \
             WHERE m.channel_id IS NOT NULL",
            "m.id <= ?2 ORDER BY m.id DESC",
            "m.id >= ?2 ORDER BY m.id",
            side
        ),
    }
}

fn texts(list: &[String]) -> String {
    // A list of strings always serializes.
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
}

impl Filter {
    fn params(&self, bound: i64, limit: i64) -> [Value; 23] {
        let list = |ids: &[i64]| id_list(ids.iter().copied());
        let optional = |ids: &Option<Vec<i64>>| ids.as_deref().map(list);
        params![
            self.user_id,
            bound,
            limit,
            self.flags_all,
            self.flags_none,
            self.flags_any,
            self.properties_all,
            self.properties_none,
            self.channel_id,
            optional(&self.channels),
            list(&self.channels_not),
            self.topic.as_deref(),
            texts(&self.topics_not),
            optional(&self.conversations),
            list(&self.conversations_not),
            optional(&self.senders),
            list(&self.senders_not),
            optional(&self.ids),
            list(&self.ids_not),
            self.direct,
            self.resolved,
            list(&self.mentions),
            list(&self.mentions_not),
        ]
    }
}

/// Ids of at most `limit` messages on one side of `bound`, which is included, in the order
/// of [`Side`].
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn ids(
    db: &dyn Db,
    source: Source,
    filter: &Filter,
    side: Side,
    bound: i64,
    limit: i64,
) -> Result<Vec<i64>, DbError> {
    db.execute(statement(source, side), &filter.params(bound, limit))?
        .read_all(|row| row.integer())
}

/// The first unread message of the reader that passes the filter.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first_unread(db: &dyn Db, filter: &Filter) -> Result<Option<i64>, DbError> {
    let found = ids(db, Source::Unread, filter, Side::After, 0, 1)?;
    Ok(found.first().copied())
}

/// The first message that was sent at `date` (UNIX seconds) or later.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first_since(db: &dyn Db, date: i64) -> Result<Option<i64>, DbError> {
    db.execute(
        "SELECT id FROM messages WHERE date_sent >= ?1 ORDER BY date_sent, id LIMIT 1",
        &params![date],
    )?
    .read_first(|row| row.integer())
}
