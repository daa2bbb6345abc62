//! Moves of many messages: which messages go in the next part, and the record of a move whose parts
//! have not all gone.
//!
//! A part is bounded by the work that it makes, not only by its number of messages: long texts are
//! indexed anew for searches, and each delivery of a message may have to be looked at.

use crate::message_changes::TopicPart;
use crate::{Db, DbError, Row, WriteTx, params, sql};

/// Work of one part, about as many microseconds on a slow machine; one message goes in any case. Writers that
/// wait for a part should hardly notice it.
const PART_WORK: i64 = 25_000;

/// What makes work besides the messages themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burden {
    /// Deliveries may change, as they do between channels. Otherwise they are only read.
    pub changes_deliveries: bool,
    /// The channel whose subscribers each get a delivery of each message.
    pub given_to: Option<i64>,
}

/// Where the messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// The channel.
    pub channel_id: i64,
    /// The topic, folded.
    pub topic_folded: &'a str,
}

/// The newest messages of a part of a topic, as many as should go at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextPart {
    /// Ascending.
    pub message_ids: Vec<i64>,
    /// Those of them that are young, ascending.
    pub young: Vec<i64>,
    /// The newest message that is left for the next part; none when nothing is left.
    pub rest: Option<i64>,
    /// A move with parts to go that concerns one of the topics, if there is one.
    pub contested_by: Option<i64>,
}

/// The next messages of `part` that go to `target`; `sent_since`: UNIX seconds from which on they
/// are young.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn next_part(
    db: &dyn Db,
    part: &TopicPart<'_>,
    target: Target<'_>,
    burden: Burden,
    sent_since: i64,
) -> Result<NextPart, DbError> {
    // Quarters of a microsecond.
    let delivery = if burden.changes_deliveries { 80 } else { 1 };
    let rows = db.query(
        sql!(
            "WITH RECURSIVE walk (id, work) AS ( \
             SELECT (SELECT max(m.id) FROM messages m WHERE m.channel_id = ?1 \
                 AND m.topic_folded = ?2 AND m.id >= ?3 AND m.id <= ?4), 0 \
             UNION ALL \
             SELECT (SELECT max(n.id) FROM messages n WHERE n.channel_id = ?1 \
                     AND n.topic_folded = ?2 AND n.id >= ?3 AND n.id < w.id), \
                 w.work + iif(?5 IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
                         WHERE um.user_id = ?5 AND um.message_id = m.id), \
                     120 + octet_length(m.content) / 10 \
                     + (SELECT count(*) FROM user_messages um WHERE um.message_id = m.id) * ?7 / 4 \
                     + 20 * (SELECT count(*) FROM subscriptions s \
                         WHERE s.channel_id = ?8 AND s.active = 1), 2) \
             FROM walk w CROSS JOIN messages m ON m.id = w.id WHERE w.work < ?6) \
         SELECT w.id, w.work >= ?6, m.date_sent >= ?9, \
             (SELECT min(v.id) FROM message_moves v \
                 WHERE (v.from_channel_id = ?1 AND v.from_topic_folded = ?2) \
                 OR (v.to_channel_id = ?1 AND v.to_topic_folded = ?2) \
                 OR (v.from_channel_id = ?10 AND v.from_topic_folded = ?11)) \
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
    let found = rows.read_all(|row| {
        let (id, is_rest, is_young) = (row.integer()?, row.flag()?, row.flag()?);
        Ok((id, is_rest, is_young, row.optional_integer()?))
    })?;
    let mut next = NextPart::default();
    for (id, is_rest, is_young, contested_by) in found {
        next.contested_by = contested_by;
        if is_rest {
            next.rest = Some(id);
            continue;
        }
        next.message_ids.push(id);
        if is_young {
            next.young.push(id);
        }
    }
    Ok(next)
}

/// How many messages of a part of a topic there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ages {
    /// All.
    pub total: i64,
    /// Those that were sent since the time that was asked about.
    pub young: i64,
    /// The first of those.
    pub first_young: Option<i64>,
}

/// Counts the messages of a part of a topic by age; `sent_since`: UNIX seconds from which on they
/// are young. Takes as long as the topic is; not for transactions that write.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn ages(db: &dyn Db, part: &TopicPart<'_>, sent_since: i64) -> Result<Ages, DbError> {
    db.query(
        sql!(
            "SELECT count(*), count(*) FILTER (WHERE m.date_sent >= ?6), \
                 min(m.id) FILTER (WHERE m.date_sent >= ?6) \
             FROM messages m WHERE m.channel_id = ?1 AND m.topic_folded = ?2 AND m.id >= ?3 \
             AND m.id <= ?4 AND (?5 IS NULL OR EXISTS (SELECT 1 FROM user_messages um \
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
    .read_one(|row| {
        Ok(Ages {
            total: row.integer()?,
            young: row.integer()?,
            first_young: row.optional_integer()?,
        })
    })
}

/// A move of which not all parts have gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRow {
    /// Organization.
    pub realm_id: i64,
    /// Who moves.
    pub user_id: i64,
    /// When it began, UNIX seconds.
    pub started: i64,
    /// The message that was named.
    pub message_id: i64,
    /// Who sent that message.
    pub sender_id: i64,
    /// Whether the text of that message was changed, too.
    pub content_changed: bool,
    /// `change_later` or `change_all`.
    pub propagate_mode: String,
    /// Whether a notice is due in the old topic.
    pub notify_old: bool,
    /// Whether a notice is due in the new topic.
    pub notify_new: bool,
    /// The channel that messages leave.
    pub from_channel_id: i64,
    /// The topic that they leave.
    pub from_topic: String,
    /// That topic, folded.
    pub from_topic_folded: String,
    /// The channel that they go to.
    pub to_channel_id: i64,
    /// The topic that they go to.
    pub to_topic: String,
    /// That topic, folded.
    pub to_topic_folded: String,
    /// Whether there were messages in it before.
    pub to_topic_existed: bool,
    /// Whether only those go that were delivered to who moves.
    pub only_received: bool,
    /// Not those with smaller ids.
    pub first_id: i64,
    /// Those with higher ids have gone.
    pub last_id: i64,
    /// No message of the topic had a higher id at the start.
    pub newest_id: i64,
    /// Messages that have gone.
    pub moved: i64,
}

/// Stores a move whose first part goes in the same transaction; returns its id.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(tx: &WriteTx<'_>, row: &MoveRow) -> Result<i64, DbError> {
    tx.execute(
        "INSERT INTO message_moves (realm_id, user_id, started, message_id, sender_id, \
             content_changed, propagate_mode, notify_old, notify_new, from_channel_id, from_topic, \
             from_topic_folded, to_channel_id, to_topic, to_topic_folded, to_topic_existed, \
             only_received, first_id, last_id, newest_id, moved) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
             ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) RETURNING id",
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
    .read_one(|row| row.integer())
}

/// A move with parts to go.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn find(db: &dyn Db, id: i64) -> Result<Option<MoveRow>, DbError> {
    db.query(
        sql!("SELECT realm_id, user_id, started, message_id, sender_id, content_changed, propagate_mode, \
             notify_old, notify_new, from_channel_id, from_topic, from_topic_folded, to_channel_id, \
             to_topic, to_topic_folded, to_topic_existed, only_received, first_id, last_id, \
             newest_id, moved FROM message_moves WHERE id = ?1"),
        &params![id],
    )?
    .read_first(read)
}

fn read(row: &mut Row<'_>) -> Result<MoveRow, DbError> {
    Ok(MoveRow {
        realm_id: row.integer()?,
        user_id: row.integer()?,
        started: row.integer()?,
        message_id: row.integer()?,
        sender_id: row.integer()?,
        content_changed: row.flag()?,
        propagate_mode: row.text()?,
        notify_old: row.flag()?,
        notify_new: row.flag()?,
        from_channel_id: row.integer()?,
        from_topic: row.text()?,
        from_topic_folded: row.text()?,
        to_channel_id: row.integer()?,
        to_topic: row.text()?,
        to_topic_folded: row.text()?,
        to_topic_existed: row.flag()?,
        only_received: row.flag()?,
        first_id: row.integer()?,
        last_id: row.integer()?,
        newest_id: row.integer()?,
        moved: row.integer()?,
    })
}

/// The move with parts to go that began first.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first(db: &dyn Db, realm_id: i64) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT id FROM message_moves WHERE realm_id = ?1 ORDER BY id LIMIT 1"),
        &params![realm_id],
    )?
    .read_first(|row| row.integer())
}

/// Notes that a part has gone: how many messages have in all, and the newest that is left.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn advance(tx: &WriteTx<'_>, id: i64, last_id: i64, moved: i64) -> Result<(), DbError> {
    tx.execute(
        "UPDATE message_moves SET last_id = ?2, moved = ?3 WHERE id = ?1",
        &params![id, last_id, moved],
    )?;
    Ok(())
}

/// Forgets a move that is complete.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn finish(tx: &WriteTx<'_>, id: i64) -> Result<(), DbError> {
    tx.execute("DELETE FROM message_moves WHERE id = ?1", &params![id])?;
    Ok(())
}

#[cfg(test)]
mod tests;
