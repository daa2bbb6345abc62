//! How much of a window of messages one answer holds.
//!
//! Messages can be large: a few thousand of them, or a few with a long history, would take more memory than all
//! requests together have. The messages nearest to the anchor are returned; the window then says that there are more.
//! Which messages match is decided elsewhere.

use std::collections::HashMap;

use spindle_domain::MessageId;
use spindle_domain::limits::{BYTES_OF_EMPTY_MESSAGE, ENVELOPE_ROOM, MAX_BYTES_PER_FETCH};
use spindle_store::message_pages::Room;
use spindle_store::message_sizes::{self, SizeRow};
use spindle_store::messages::MessageRow;
use spindle_store::{Db, DbError, id_list};

use super::Objects;
use crate::ActionError;
use crate::json_list::{ByteCount, JsonList, written_length};
use crate::messages::narrow::Window;

/// The room in one answer; a single message always has some.
pub(super) fn room(ids: &[MessageId]) -> Option<Room> {
    let room = Room {
        bytes: MAX_BYTES_PER_FETCH,
        least: BYTES_OF_EMPTY_MESSAGE,
    };
    (ids.len() > 1).then_some(room)
}

/// Leaves those of `ids`, which ascend, that one answer has room for, and makes `window` true again.
pub(super) fn cut(
    db: &dyn Db,
    ids: Vec<MessageId>,
    window: &mut Window,
) -> Result<Vec<MessageId>, ActionError> {
    let list = id_list(ids.iter().copied());
    let sizes = message_sizes::sizes(db, &list, BYTES_OF_EMPTY_MESSAGE)?;
    let sizes: HashMap<MessageId, i64> = sizes.into_iter().map(|row| (row.id, row.bytes)).collect();
    nearest(&ids, window, &mut |id| {
        Ok(sizes.get(&id).copied().unwrap_or(BYTES_OF_EMPTY_MESSAGE))
    })
}

/// Writes the rows as a JSON list. A list that exceeds the answer limit is cut to the rows next to the anchor, and
/// `window` is adjusted; without a window, it is an error. The list is allocated once: an instance has no room for a
/// page and a copy of twice its size.
pub(super) fn write(
    rows: &[MessageRow],
    window: Option<&mut Window>,
    objects: &Objects<'_>,
) -> Result<String, ActionError> {
    let most = usize::try_from(MAX_BYTES_PER_FETCH).unwrap_or(usize::MAX);
    let expected: usize = rows.iter().map(|row| expected_bytes(row, objects)).sum();
    let mut list = JsonList::with_capacity(expected.min(most) + ENVELOPE_ROOM);
    let mut is_cut = false;
    for row in rows {
        list.push_with(|out| objects.write(row, out))?;
        is_cut = list.len() > most && rows.len() > 1;
        if is_cut {
            break;
        }
    }
    if !is_cut {
        return list.end();
    }
    drop(list);
    let window = window.ok_or_else(too_large)?;
    let by_id: HashMap<MessageId, &MessageRow> = rows.iter().map(|row| (row.id, row)).collect();
    let ids: Vec<MessageId> = rows.iter().map(|row| row.id).collect();
    let row_of = |id| by_id.get(&id).copied().ok_or(DbError::NoRow);
    let mut lengths: HashMap<MessageId, usize> = HashMap::new();
    let page = nearest(&ids, window, &mut |id| {
        let mut count = ByteCount::default();
        objects.write(row_of(id)?, &mut count)?;
        lengths.insert(id, count.0);
        Ok(i64::try_from(count.0).unwrap_or(i64::MAX))
    })?;
    let bytes: usize = page.iter().filter_map(|id| lengths.get(id)).sum();
    let mut list = JsonList::with_capacity(bytes + page.len() + ENVELOPE_ROOM);
    for id in page {
        let row = row_of(id)?;
        list.push_with(|out| objects.write(row, out))?;
    }
    list.end()
}

/// About the bytes of a message as an object, without the marks of a search.
fn expected_bytes(row: &MessageRow, objects: &Objects<'_>) -> usize {
    let empty = usize::try_from(BYTES_OF_EMPTY_MESSAGE).unwrap_or_default();
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let text = if objects.is_html() {
        &row.rendered_content
    } else {
        &row.content
    };
    2 * empty
        + written_length(text)
        + row.display_recipient.len()
        + optional(&row.edit_history)
        + optional(&row.buttons)
        + optional(&row.reactions)
        + optional(&row.submessages)
}

/// Refuses messages that are asked for by their ids and have no room in one answer: to leave some
/// out would say that they do not exist.
pub(super) fn check(db: &dyn Db, ids: &[MessageId]) -> Result<(), ActionError> {
    if fits(db, ids)? {
        return Ok(());
    }
    Err(too_large())
}

/// `ids` in parts, each of which one statement can read.
pub(crate) fn parts(db: &dyn Db, ids: Vec<MessageId>) -> Result<Vec<Vec<MessageId>>, ActionError> {
    if fits(db, &ids)? {
        return Ok(vec![ids]);
    }
    let sizes = message_sizes::sizes(db, &id_list(ids), BYTES_OF_EMPTY_MESSAGE)?;
    let mut parts: Vec<Vec<MessageId>> = Vec::new();
    let mut room = 0;
    for SizeRow { id, bytes } in sizes {
        room -= bytes;
        match parts.last_mut() {
            Some(part) if room >= 0 => part.push(id),
            _ => {
                parts.push(vec![id]);
                room = MAX_BYTES_PER_FETCH - bytes;
            }
        }
    }
    Ok(parts)
}

/// Rows for one answer; fails as soon as they exceed it, before the next part is read.
#[derive(Default)]
pub(super) struct Collected {
    rows: Vec<MessageRow>,
    bytes: usize,
}

impl Collected {
    pub(super) fn add(&mut self, rows: Vec<MessageRow>) -> Result<(), ActionError> {
        let size = |row: &MessageRow| {
            let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
            row.content.len()
                + row.rendered_content.len()
                + optional(&row.edit_history)
                + optional(&row.submessages)
                + optional(&row.reactions)
        };
        self.bytes += rows.iter().map(size).sum::<usize>();
        self.rows.extend(rows);
        let is_too_much = i64::try_from(self.bytes).unwrap_or(i64::MAX) > MAX_BYTES_PER_FETCH;
        if is_too_much && self.rows.len() > 1 {
            return Err(too_large());
        }
        Ok(())
    }

    pub(super) fn into_rows(self) -> Vec<MessageRow> {
        self.rows
    }
}

pub(crate) fn too_large() -> ActionError {
    ActionError::bad_request("These messages are too large to be read at once; ask for fewer")
}

fn fits(db: &dyn Db, ids: &[MessageId]) -> Result<bool, ActionError> {
    if ids.len() < 2 {
        return Ok(true);
    }
    let list = id_list(ids.iter().copied());
    Ok(message_sizes::size_of(db, &list, BYTES_OF_EMPTY_MESSAGE)? <= MAX_BYTES_PER_FETCH)
}

/// The messages next to the anchor, from both sides in turns, as far as there is room. The anchor's
/// own message and the first one on each side always come, so that a client gets ahead.
fn nearest(
    ids: &[MessageId],
    window: &mut Window,
    size: Size<'_>,
) -> Result<Vec<MessageId>, ActionError> {
    let (before, rest) = ids.split_at(ids.partition_point(|id| *id < window.anchor));
    let (own, after) = rest.split_at(usize::from(rest.first() == Some(&window.anchor)));
    let mut room = MAX_BYTES_PER_FETCH;
    for id in own {
        room = room.saturating_sub(size(*id)?);
    }
    let mut sides = [
        Side::new(before.iter().rev().copied().collect()),
        Side::new(after.to_vec()),
    ];
    while sides.iter().any(|side| side.is_open) {
        for side in &mut sides {
            room = side.take_one(room, size)?;
        }
    }
    let [before, after] = sides;
    window.found_oldest &= !before.is_cut();
    window.found_newest &= !after.is_cut();
    let (mut page, after) = (before.into_taken(), after.into_taken());
    page.reverse();
    page.extend(own);
    page.extend(after);
    Ok(page)
}

/// Bytes of a message.
type Size<'s> = &'s mut dyn FnMut(MessageId) -> Result<i64, ActionError>;

/// The messages on one side of the anchor, the nearest first.
struct Side {
    ids: Vec<MessageId>,
    taken: usize,
    is_open: bool,
}

impl Side {
    fn new(ids: Vec<MessageId>) -> Self {
        Self {
            ids,
            taken: 0,
            is_open: true,
        }
    }

    /// Takes the next message if there is room for it; returns what room is left.
    fn take_one(&mut self, room: i64, size: Size<'_>) -> Result<i64, ActionError> {
        let next = self.ids.get(self.taken).filter(|_| self.is_open);
        let bytes = next.map(|id| size(*id)).transpose()?;
        let left = bytes.map(|bytes| room.saturating_sub(bytes));
        Ok(match left {
            Some(left) if left >= 0 || self.taken == 0 => {
                self.taken += 1;
                left
            }
            _ => {
                self.is_open = false;
                room
            }
        })
    }

    fn is_cut(&self) -> bool {
        self.taken < self.ids.len()
    }

    fn into_taken(mut self) -> Vec<MessageId> {
        self.ids.truncate(self.taken);
        self.ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: i64 = 1 << 20;

    fn cut_around(anchor: i64, sizes: &[(i64, i64)]) -> (Vec<i64>, bool, bool) {
        let mut window = Window {
            anchor: MessageId(anchor),
            found_anchor: true,
            found_oldest: true,
            found_newest: true,
            history_limited: false,
        };
        let ids: Vec<MessageId> = sizes.iter().map(|(id, _)| MessageId(*id)).collect();
        let sizes: HashMap<i64, i64> = sizes.iter().copied().collect();
        let page = nearest(&ids, &mut window, &mut |id| Ok(sizes[&id.get()])).unwrap();
        let page = page.into_iter().map(MessageId::get).collect();
        (page, window.found_oldest, window.found_newest)
    }

    #[test]
    fn what_is_next_to_the_anchor_comes() {
        let sizes: Vec<(i64, i64)> = (1..=9).map(|id| (id, 2 * MIB)).collect();
        assert_eq!(cut_around(5, &sizes), (vec![3, 4, 5, 6], false, false));
        assert_eq!(cut_around(1, &sizes), (vec![1, 2, 3, 4], true, false));
        assert_eq!(cut_around(100, &sizes), (vec![6, 7, 8, 9], false, true));
    }

    #[test]
    fn a_client_always_gets_ahead() {
        let sizes: Vec<(i64, i64)> = (1..=5).map(|id| (id, 20 * MIB)).collect();
        assert_eq!(cut_around(3, &sizes), (vec![2, 3, 4], false, false));
        assert_eq!(cut_around(0, &sizes), (vec![1], true, false));
    }

    #[test]
    fn one_side_goes_on_where_the_other_has_ended() {
        let sizes = [(1, 20 * MIB), (2, MIB), (3, MIB), (4, MIB), (5, MIB)];
        assert_eq!(cut_around(2, &sizes), (vec![1, 2, 3], true, false));
        let sizes = [(1, 7 * MIB), (2, MIB), (3, MIB), (4, 100), (5, 100)];
        assert_eq!(cut_around(3, &sizes), (vec![2, 3, 4, 5], false, true));
    }
}
