//! Moves of many messages: which messages the next part moves, and the rows of moves that are not
//! complete.
//!
//! A part is bounded by its work, not only by its number of messages: long texts are indexed again
//! for searches, and each delivery of a message may have to be read.

use spindle_domain::{ChannelId, MessageId, MoveId, RealmId, UserId};

use crate::message_changes::TopicPart;
use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Work of one part, about as many microseconds on a slow machine; it moves one message in any case.
/// Writers that wait for a part should hardly notice it.
const PART_WORK: i64 = 10_000;

/// What costs work besides the messages themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burden {
    /// Deliveries may change, as they do between channels; otherwise they are only read.
    pub changes_deliveries: bool,
    /// The channel whose subscribers each get a delivery of each message; `None` when deliveries
    /// stay.
    pub given_to: Option<ChannelId>,
}

/// The topic that messages are moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewTopic<'a> {
    /// The topic's channel.
    pub channel_id: ChannelId,
    /// Its name, folded.
    pub topic_folded: &'a str,
}

/// The newest messages of a part of a topic, as many as should be moved together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextPart {
    /// Ascending.
    pub message_ids: Vec<MessageId>,
    /// Those of them that were sent since the given time, ascending.
    pub young: Vec<MessageId>,
    /// The newest message that is left for the next part; `None` when nothing is left.
    pub rest: Option<MessageId>,
    /// An incomplete move of one of the topics, if there is one.
    pub contested_by: Option<MoveId>,
}

row_struct! {
    /// A message that the next part meets.
    struct CandidateRow {
        id: MessageId,
        /// It is beyond the work of this part.
        is_rest: bool,
        is_young: bool,
        contested_by: Option<MoveId>,
    }
}

/// The next messages of `part` that move to `target`; `sent_since`: UNIX seconds from which on they
/// are young.
pub fn next_part(
    db: &dyn Db,
    part: &TopicPart<'_>,
    target: NewTopic<'_>,
    burden: Burden,
    sent_since: i64,
) -> Result<NextPart, DbError> {
    // Quarters of a microsecond.
    let delivery = if burden.changes_deliveries { 80 } else { 1 };
    let rows = db.query(
        sql!(
            "WITH RECURSIVE walk (id, work) AS ( \
             SELECT (SELECT max(m.id) FROM messages m WHERE m.channel_id = ?1 \
                 AND m.topic_folded = ?2 AND m.id >= ?3 AND m.id <= ?4), CAST(0 AS BIGINT) \
             UNION ALL \
             SELECT (SELECT max(n.id) FROM messages n WHERE n.channel_id = ?1 \
                     AND n.topic_folded = ?2 AND n.id >= ?3 AND n.id < w.id), \
                 w.work + iif(?5:bigint IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
                         WHERE um.user_id = ?5 AND um.message_id = m.id), \
                     120 + octet_length(m.content) / 10 \
                     + coalesce(octet_length(m.edit_history), 0) / 10 \
                     + (SELECT count(*) FROM user_messages um WHERE um.message_id = m.id) * ?7 / 4 \
                     + 20 * (SELECT count(*) FROM subscriptions s \
                         WHERE s.channel_id = ?8 AND s.active = 1), 2) \
             FROM walk w CROSS JOIN messages m ON m.id = w.id WHERE w.work < ?6) \
         SELECT w.id, w.work >= ?6 AS is_rest, m.date_sent >= ?9 AS is_young, \
             (SELECT min(v.id) FROM message_moves v \
                 WHERE (v.from_channel_id = ?1 AND v.from_topic_folded = ?2) \
                 OR (v.to_channel_id = ?1 AND v.to_topic_folded = ?2) \
                 OR (v.from_channel_id = ?10 AND v.from_topic_folded = ?11)) AS contested_by \
         FROM walk w CROSS JOIN messages m ON m.id = w.id \
         WHERE w.work >= ?6 OR ?5 IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
             WHERE um.user_id = ?5 AND um.message_id = m.id) ORDER BY w.id"
        ),
        &params![
            part.channel_id,
            part.topic_folded,
            part.first_id,
            part.last_id,
            part.only_received_by,
            PART_WORK,
            delivery,
            burden.given_to,
            sent_since,
            target.channel_id,
            target.topic_folded
        ],
    )?;
    let mut next = NextPart::default();
    for row in rows.all::<CandidateRow>()? {
        next.contested_by = row.contested_by;
        if row.is_rest {
            next.rest = Some(row.id);
            continue;
        }
        next.message_ids.push(row.id);
        if row.is_young {
            next.young.push(row.id);
        }
    }
    Ok(next)
}

row_struct! {
    /// How many messages of a part of a topic there are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Ages {
        /// The number of all messages.
        pub total: i64,
        /// The number of messages that were sent since the given time.
        pub young: i64,
        /// The first of them; `None` when there are none.
        pub first_young: Option<MessageId>,
    }
}

/// Counts the messages of a part of a topic by age; `sent_since`: UNIX seconds from which on they
/// are young. Takes as long as the topic is; not for transactions that write.
pub fn ages(db: &dyn Db, part: &TopicPart<'_>, sent_since: i64) -> Result<Ages, DbError> {
    db.query(
        sql!(
            "SELECT count(*) AS total, count(*) FILTER (WHERE m.date_sent >= ?6) AS young, \
                 min(m.id) FILTER (WHERE m.date_sent >= ?6) AS first_young \
             FROM messages m WHERE m.channel_id = ?1 AND m.topic_folded = ?2 AND m.id >= ?3 \
             AND m.id <= ?4 AND (?5:bigint IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
                 WHERE um.user_id = ?5 AND um.message_id = m.id))"
        ),
        &params![
            part.channel_id,
            part.topic_folded,
            part.first_id,
            part.last_id,
            part.only_received_by,
            sent_since
        ],
    )?
    .one()
}

row_struct! {
    /// A move that is not complete.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MoveRow {
        /// The organization of the messages.
        pub realm_id: RealmId,
        /// The account that moves them.
        pub user_id: UserId,
        /// When it began, UNIX seconds.
        pub started: i64,
        /// The message that the request has named.
        pub message_id: MessageId,
        /// The sender of that message.
        pub sender_id: UserId,
        /// Whether the text of that message was changed, too.
        pub content_changed: bool,
        /// `change_later` or `change_all`.
        pub propagate_mode: String,
        /// Whether a notice is due in the old topic.
        pub notify_old: bool,
        /// Whether a notice is due in the new topic.
        pub notify_new: bool,
        /// The channel that messages leave.
        pub from_channel_id: ChannelId,
        /// The topic that they leave.
        pub from_topic: String,
        /// That topic, folded.
        pub from_topic_folded: String,
        /// The channel that they go to.
        pub to_channel_id: ChannelId,
        /// The topic that they go to.
        pub to_topic: String,
        /// That topic, folded.
        pub to_topic_folded: String,
        /// Whether there were messages in it before the move.
        pub to_topic_existed: bool,
        /// Whether only messages are moved that were delivered to `user_id`.
        pub only_received: bool,
        /// Messages with lower ids are left where they are.
        pub first_id: MessageId,
        /// Messages with higher ids are moved already.
        pub last_id: MessageId,
        /// The newest message that the topic had at the start, or an upper bound of it.
        pub newest_id: MessageId,
        /// Number of messages moved so far.
        pub moved: i64,
    }
}

/// Stores a move whose first part is made in the same transaction; returns its id.
pub fn insert(tx: &WriteTx<'_>, row: &MoveRow) -> Result<MoveId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO message_moves (realm_id, user_id, started, message_id, sender_id, \
             content_changed, propagate_mode, notify_old, notify_new, from_channel_id, from_topic, \
             from_topic_folded, to_channel_id, to_topic, to_topic_folded, to_topic_existed, \
             only_received, first_id, last_id, newest_id, moved) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
             ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) RETURNING id"
        ),
        &params![
            row.realm_id,
            row.user_id,
            row.started,
            row.message_id,
            row.sender_id,
            row.content_changed,
            row.propagate_mode.as_str(),
            row.notify_old,
            row.notify_new,
            row.from_channel_id,
            row.from_topic.as_str(),
            row.from_topic_folded.as_str(),
            row.to_channel_id,
            row.to_topic.as_str(),
            row.to_topic_folded.as_str(),
            row.to_topic_existed,
            row.only_received,
            row.first_id,
            row.last_id,
            row.newest_id,
            row.moved
        ],
    )?
    .one_value()
}

/// A move that is not complete.
pub fn find(db: &dyn Db, id: MoveId) -> Result<Option<MoveRow>, DbError> {
    db.query(
        sql!("SELECT realm_id, user_id, started, message_id, sender_id, content_changed, propagate_mode, \
             notify_old, notify_new, from_channel_id, from_topic, from_topic_folded, to_channel_id, \
             to_topic, to_topic_folded, to_topic_existed, only_received, first_id, last_id, \
             newest_id, moved FROM message_moves WHERE id = ?1"),
        &params![id],
    )?
    .first()
}

/// The oldest move that is not complete.
pub fn first(db: &dyn Db, realm_id: RealmId) -> Result<Option<MoveId>, DbError> {
    db.query(
        sql!("SELECT id FROM message_moves WHERE realm_id = ?1 ORDER BY id LIMIT 1"),
        &params![realm_id],
    )?
    .value()
}

/// Stores that a part is moved: the newest message that is left, and the number moved so far.
pub fn advance(
    tx: &WriteTx<'_>,
    id: MoveId,
    last_id: MessageId,
    moved: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE message_moves SET last_id = ?2, moved = ?3 WHERE id = ?1"),
        &params![id, last_id, moved],
    )?;
    Ok(())
}

/// Deletes the row of a move that is complete.
pub fn finish(tx: &WriteTx<'_>, id: MoveId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM message_moves WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
