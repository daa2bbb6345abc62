//! The full-text index of PostgreSQL: a COPY of the words of messages, as the store cuts them.

use super::copy::{ROWS, integer};
use super::notes::Position;
use super::{Part, Side, Table};
use crate::message_words::{self, Place};
use crate::pg::CopyText;
use crate::{DbError, Value};

/// Where a message is, who has sent it, and its text.
pub(super) const PLACES: [&str; 6] = [
    "id",
    "conversation_id",
    "sender_id",
    "channel_id",
    "topic",
    "content",
];

/// Writes the words of the messages that follow, and returns how far they are then.
pub(super) fn write(
    source: &dyn Side,
    messages: &Table,
    position: &Position,
    mut copy: CopyText<'_>,
    done: &mut dyn FnMut(u64),
) -> Result<Position, DbError> {
    let (mut count, mut last) = (0, 0);
    let part = Part {
        after: position.after(),
        most: Some(ROWS),
    };
    source.each(messages, part, &mut |row| {
        let (id, words) = words_of(row).ok_or(DbError::NoRow)?;
        copy.write(&format!("{id}\t{}\n", escaped(&words)))?;
        (count, last) = (count + 1, id);
        done(1);
        Ok(())
    })?;
    copy.finish()?;
    Ok(Position::after_part(count, Some(ROWS), vec![last]))
}

fn words_of(row: &[Value]) -> Option<(i64, String)> {
    let text = |place| match row.get(place) {
        Some(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let place = Place {
        conversation_id: integer(row, 1)?.into(),
        sender_id: integer(row, 2)?.into(),
        channel_id: integer(row, 3).map(Into::into),
        topic: text(4)?.to_owned(),
    };
    Some((integer(row, 0)?, message_words::vector(&place, text(5)?)))
}

/// A value of COPY's text form.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}
