//! The full-text index of messages on PostgreSQL: which words a message has, and where
//! (docs/adr/0052-words-for-postgresql.md).
//!
//! SQLite splits texts in triggers, so nothing of this runs there. Every function that adds, edits or moves a message
//! calls this module in the same transaction; a deleted message takes its row with it.

use std::fmt::Write as _;

use spindle_domain::words::{bounded, words};
use spindle_domain::{ChannelId, ConversationId, MessageId, UserId};

use crate::{Db, DbError, Dialect, Statement, WriteTx, either, params, row_struct, sql, statement};

/// Weights of the words of a topic, of those of a text, and of conversation and sender. A move replaces the first
/// and the last.
const TOPIC: char = 'A';
const CONTENT: char = 'B';
const SCOPE: char = 'C';

/// Between the last word of a text and the first of the topic: no phrase is in both.
const GAP: usize = 2;

const ADD: Statement = statement!(either!(
    "",
    "INSERT INTO message_search (rowid, words) VALUES (?1, CAST(?2:text AS TSVECTOR))"
));

const REPLACE: Statement = statement!(either!(
    "",
    "UPDATE message_search SET words = CAST(?2:text AS TSVECTOR) WHERE rowid = ?1"
));

/// `||` moves the positions of its second operand behind those of the first.
const MOVE: Statement = statement!(either!(
    "",
    "UPDATE message_search s SET words = ts_filter(s.words, '{b}') || CAST(?2:text AS TSVECTOR) \
         || CAST(''':s' || m.sender_id || ''':1C' AS TSVECTOR) \
     FROM messages m WHERE m.id = s.rowid AND s.rowid IN (SELECT value FROM json_ids(?1))"
));

row_struct! {
    /// The conversation, topic and sender of a message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Place {
        pub(crate) conversation_id: ConversationId,
        pub(crate) sender_id: UserId,
        pub(crate) channel_id: Option<ChannelId>,
        pub(crate) topic: String,
    }
}

/// Words of a new message.
pub(crate) fn add(
    tx: &WriteTx<'_>,
    id: MessageId,
    place: &Place,
    content: &str,
) -> Result<(), DbError> {
    if tx.dialect() == Dialect::Postgres {
        tx.execute(ADD, &params![id, vector(place, content)])?;
    }
    Ok(())
}

/// Words of a message whose text is now `content`.
pub(crate) fn replace(tx: &WriteTx<'_>, id: MessageId, content: &str) -> Result<(), DbError> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    let place: Option<Place> = tx
        .query(
            sql!(
                "SELECT conversation_id, sender_id, channel_id, topic FROM messages WHERE id = ?1"
            ),
            &params![id],
        )?
        .first()?;
    if let Some(place) = place {
        tx.execute(REPLACE, &params![id, vector(&place, content)])?;
    }
    Ok(())
}

/// Words of messages (a JSON list) that are now in this conversation of a channel and have this topic.
pub(crate) fn relocate(
    tx: &WriteTx<'_>,
    message_ids: &str,
    conversation_id: ConversationId,
    topic: &str,
) -> Result<(), DbError> {
    if tx.dialect() == Dialect::Postgres {
        let mut vector = Vector::default();
        vector.scope('c', conversation_id.get());
        vector.text(topic, TOPIC);
        tx.execute(MOVE, &params![message_ids, vector.literal])?;
    }
    Ok(())
}

/// The words of a message as PostgreSQL reads them.
pub(crate) fn vector(place: &Place, content: &str) -> String {
    let mut vector = Vector::default();
    vector.scope('c', place.conversation_id.get());
    vector.scope('s', place.sender_id.get());
    if place.channel_id.is_none() {
        vector.literal.push_str("':dm':1C ");
    }
    vector.text(content, CONTENT);
    vector.text(&place.topic, TOPIC);
    vector.literal
}

/// A `tsvector` as PostgreSQL reads it: each word in quotes, its place, and the letter of its part.
#[derive(Default)]
struct Vector {
    literal: String,
    last: usize,
}

impl Vector {
    /// No word of a text begins with a colon.
    fn scope(&mut self, kind: char, id: i64) {
        // Writing to a string does not fail.
        let _ = write!(self.literal, "':{kind}{id}':1{SCOPE} ");
    }

    fn text(&mut self, text: &str, part: char) {
        self.last += GAP;
        for word in words(text) {
            self.last += 1;
            let word = bounded(&word.folded);
            let _ = write!(self.literal, "'{}':{}{part} ", quoted(&word), self.last);
        }
    }
}

/// Words hold neither quotes nor backslashes; if one did, it would stay one word.
fn quoted(word: &str) -> String {
    word.replace('\\', r"\\").replace('\'', "''")
}
