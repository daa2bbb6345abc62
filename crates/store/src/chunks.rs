//! Long JSON lists, read in chunks, so that no statement takes long and no result is large.
//!
//! Owns how a chunk is selected and how chunks become a list. What the elements are, and which are
//! listed, is in the modules that select them. Where a list has to be of one moment, the caller
//! reads it in a transaction.

use spindle_domain::limits::{ENVELOPE_ROOM, LARGEST_LIST};

use crate::{DbError, Rows, Value, row_struct};

/// Elements of a chunk, as [`select_chunk`] limits them.
const LENGTH: i64 = 1000;

/// A statement that selects the elements `$object` (JSON text) after the one with the id `$after`, by `$id`: as text with
/// commas between them, with the id of the last one and their number. `$rows` is what follows
/// FROM, with its WHERE.
macro_rules! select_chunk {
    ($object:expr, $id:literal, $after:literal, $rows:expr) => {
        concat!(
            "SELECT coalesce(group_concat(c.object, ','",
            // SQLite would sort copies of all texts, which come in this order already.
            $crate::either!("", " ORDER BY c.id"),
            "), '') AS objects, coalesce(max(c.id), 0) AS last, count(*) AS number FROM (SELECT ",
            $id,
            " AS id, ",
            $object,
            " AS object FROM ",
            $rows,
            " AND ",
            $id,
            " > ",
            $after,
            " ORDER BY ",
            $id,
            " LIMIT 1000) c"
        )
    };
}

pub(crate) use select_chunk;

/// The parameters of such a statement: those of the list, then the id.
pub(crate) fn and_after(params: &[Value], after: i64) -> Vec<Value> {
    let mut params = params.to_vec();
    params.push(after.into());
    params
}

row_struct! {
    /// What such a statement returns.
    struct Chunk {
        /// Elements with commas between them.
        objects: String,
        /// The highest id among them.
        last: i64,
        /// Number of elements.
        number: i64,
    }
}

/// Reads all chunks as one JSON list; `chunk` executes a statement of [`select_chunk`] for the elements after
/// an id.
pub(crate) fn list(mut chunk: impl FnMut(i64) -> Result<Rows, DbError>) -> Result<String, DbError> {
    let mut list = "[".to_owned();
    let mut after = i64::MIN;
    loop {
        let Chunk {
            objects,
            last,
            number,
        } = chunk(after)?.one()?;
        make_room(&mut list, objects.len() + 2 + ENVELOPE_ROOM);
        if list.len() > 1 && number > 0 {
            list.push(',');
        }
        list.push_str(&objects);
        if number < LENGTH {
            break;
        }
        after = last;
    }
    list.push(']');
    Ok(list)
}

/// Beyond it a list gets the memory of the longest one.
const LONG: usize = 8 << 20;

/// Reserves room for this many bytes. An instance has no room for two copies of a list of many megabytes, so a long
/// list is allocated once. Reserved memory that stays unused costs nothing.
fn make_room(list: &mut String, bytes: usize) {
    let end = list.len() + bytes;
    if end <= list.capacity() {
        return;
    }
    let wanted = if end > LONG {
        end.max(LARGEST_LIST)
    } else {
        end
    };
    list.reserve_exact(wanted - list.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Texts, texts};
    use crate::params;
    use crate::testing::TestDatabase;

    const NUMBERS: Texts = texts!(concat!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?1) ",
        select_chunk!("json_array(n.i)", "n.i", "?2", "n WHERE n.i <= ?1")
    ));

    #[test]
    fn a_long_list_moves_once() {
        let mut list = String::new();
        let mut places = std::collections::BTreeSet::new();
        while list.len() < LARGEST_LIST - (3 << 20) {
            make_room(&mut list, (2 << 20) + ENVELOPE_ROOM);
            list.push_str(&" ".repeat(2 << 20));
            if list.len() > LONG {
                places.insert(list.as_ptr());
            }
            assert!(list.capacity() - list.len() >= ENVELOPE_ROOM);
        }
        assert_eq!(places.len(), 1);
    }

    #[test]
    fn chunks_are_joined_by_id() {
        let database = TestDatabase::with_realm();
        let tx = database.tx();
        for count in [0, 1, 2, 999, 1000, 1001, 2000, 2500_i64] {
            let mut statements = 0;
            let text = list(|after| {
                statements += 1;
                tx.execute(NUMBERS.sqlite, &params![count, after])
            });
            let read: Vec<[i64; 1]> = serde_json::from_str(&text.unwrap()).unwrap();
            assert_eq!(read, (1..=count).map(|i| [i]).collect::<Vec<_>>());
            assert_eq!(statements, count / 1000 + 1);
        }
    }
}
