//! The two texts of a statement, for SQLite and for PostgreSQL, made from one source.
//!
//! Owns the translation, which happens when the crate is compiled (docs/adr/0047-two-databases.md). Sources are
//! written for SQLite in spellings that PostgreSQL understands as well. What remains is a short list:
//!
//! - a parameter `?1` is `$1` for PostgreSQL; where that cannot find out what type it has, as in `? IS NULL`, the source
//!   says it: `?1:text`, `?1:bigint`;
//! - hints of SQLite go: `INDEXED BY name`, `CROSS JOIN ... ON`, which is a join in this order, and a plus before a
//!   column (`+id = ?1`), which keeps an index from being used;
//! - names and words that are [`RENAMED`];
//! - [`either!`] for everything else, with both texts side by side.
//!
//! It must not know tables, and must not run anything.

/// Both texts of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) sqlite: &'static str,
    /// Nothing but a blank where there is no such statement.
    pub(crate) postgres: &'static str,
}

/// A database that statements are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// Names and words: in a source, for SQLite, for PostgreSQL. `json_ids`, `json_texts` and `json_members` read a JSON
/// list of integers, a JSON list of texts, and a JSON object as rows of `key` and `value`: columns of PostgreSQL have
/// one type. Functions that neither PostgreSQL nor this list has are in its first migration.
const RENAMED: [(&[u8], &[u8], &[u8]); 12] = [
    (b"json_ids(", b"json_each(", b"json_ids("),
    (b"json_texts(", b"json_each(", b"json_texts("),
    (b"json_members(", b"json_each(", b"json_members("),
    (b"json_object(", b"json_object(", b"json_build_object("),
    (b"json_array(", b"json_array(", b"json_build_array("),
    (
        b"json_group_object(",
        b"json_group_object(",
        b"json_object_agg(",
    ),
    (b"group_concat(", b"group_concat(", b"string_agg("),
    (b"CROSS JOIN ", b"CROSS JOIN ", b"JOIN "),
    (b"sqlite_sequence", b"sqlite_sequence", b"last_ids"),
    (
        b"random_name()",
        b"lower(hex(randomblob(16)))",
        b"random_name()",
    ),
    (b"char(", b"char(", b"chr("),
    (b"LIMIT -1", b"LIMIT -1", b"LIMIT ALL"),
];

/// Before the text for SQLite, between the two, and after that for PostgreSQL, see [`either!`].
const FOR_SQLITE: u8 = 1;
const FOR_POSTGRES: u8 = 2;
const FOR_BOTH: u8 = 3;

/// A part of a source that differs: the text for SQLite, then the one for PostgreSQL.
macro_rules! either {
    ($sqlite:expr, $postgres:expr $(,)?) => {
        concat!("\u{1}", $sqlite, "\u{2}", $postgres, "\u{3}")
    };
}

pub(crate) use either;

/// Both texts of a source, as a constant.
macro_rules! texts {
    ($source:expr) => {{
        use $crate::dialect::{Dialect, length, text, translated};
        const SOURCE: &str = concat!("\u{1}\u{2} \u{3}", $source);
        const SQLITE: &[u8] =
            &translated::<{ length(SOURCE, Dialect::Sqlite) }>(SOURCE, Dialect::Sqlite);
        // The blank distinguishes it from the text for SQLite in the file of a component
        // (tests/platform/linked.rs).
        const POSTGRES: &[u8] =
            &translated::<{ length(SOURCE, Dialect::Postgres) }>(SOURCE, Dialect::Postgres);
        $crate::dialect::Texts {
            sqlite: text(SQLITE),
            postgres: text(POSTGRES),
        }
    }};
}

pub(crate) use texts;

/// The length of a translation in bytes.
pub(crate) const fn length(source: &str, dialect: Dialect) -> usize {
    let mut nothing = [];
    translate(source.as_bytes(), dialect, &mut nothing)
}

/// The translation, of `LENGTH` bytes.
pub(crate) const fn translated<const LENGTH: usize>(
    source: &str,
    dialect: Dialect,
) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    translate(source.as_bytes(), dialect, &mut bytes);
    bytes
}

/// A translation as text. What is put in and left out are whole characters.
pub(crate) const fn text(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Writes as much of the translation as there is room for, and returns its whole length.
const fn translate(mut source: &[u8], dialect: Dialect, mut room: &mut [u8]) -> usize {
    let mut length = 0;
    let mut quote = 0;
    let mut in_word = false;
    let mut in_parameter = false;
    // Parts for the other database that are open here.
    let mut skipped = 0;
    while let [byte, rest @ ..] = source {
        let byte = *byte;
        if byte == FOR_SQLITE || byte == FOR_POSTGRES || byte == FOR_BOTH {
            skipped = after_mark(byte, skipped, dialect);
            source = rest;
            continue;
        }
        if skipped > 0 {
            source = rest;
            continue;
        }
        let mut written = byte;
        if quote != 0 {
            if byte == quote {
                quote = 0;
            }
        } else if byte == b'\'' || byte == b'"' {
            quote = byte;
            in_word = false;
        } else {
            if !in_word {
                if let Some((after, name)) = renamed(source, dialect) {
                    let (left, added) = put(name, room);
                    (source, room) = (after, left);
                    length += added;
                    continue;
                }
                if matches!(dialect, Dialect::Postgres)
                    && let Some(after) = without_hint(source)
                {
                    source = after;
                    continue;
                }
            }
            if in_parameter && byte == b':' {
                in_parameter = false;
                match dialect {
                    Dialect::Sqlite => source = after_word(rest),
                    Dialect::Postgres => {
                        let (left, added) = put(b"::", room);
                        (source, room) = (rest, left);
                        length += added;
                    }
                }
                continue;
            }
            in_parameter = byte == b'?' || in_parameter && byte.is_ascii_digit();
            if byte == b'?' && matches!(dialect, Dialect::Postgres) {
                written = b'$';
            }
            in_word = is_word(byte);
        }
        if let [place, left @ ..] = room {
            *place = written;
            room = left;
        }
        length += 1;
        source = rest;
    }
    length
}

/// How many parts for the other database are open after a mark.
const fn after_mark(mark: u8, skipped: usize, dialect: Dialect) -> usize {
    let is_sqlite = matches!(dialect, Dialect::Sqlite);
    match (mark, skipped) {
        (FOR_SQLITE, 0) => !is_sqlite as usize,
        (FOR_SQLITE, _) => skipped + 1,
        (FOR_POSTGRES, 0) => 1,
        (FOR_POSTGRES, 1) => is_sqlite as usize,
        (FOR_POSTGRES, _) => skipped,
        (_, 0) => 0,
        (_, _) => skipped - 1,
    }
}

/// What follows a renamed function that begins here, and its name.
const fn renamed(source: &[u8], dialect: Dialect) -> Option<(&[u8], &'static [u8])> {
    if !matches!(source, [b'j' | b'g' | b'C' | b'L' | b's' | b'r' | b'c', ..]) {
        return None;
    }
    let mut names: &[(&[u8], &[u8], &[u8])] = &RENAMED;
    while let [(name, sqlite, postgres), rest @ ..] = names {
        if let Some(after) = after_prefix(source, name) {
            return Some(match dialect {
                Dialect::Sqlite => (after, sqlite),
                Dialect::Postgres => (after, postgres),
            });
        }
        names = rest;
    }
    None
}

/// What follows a hint that begins here.
const fn without_hint(source: &[u8]) -> Option<&[u8]> {
    if let [b'+', rest @ ..] = source
        && let [b'a'..=b'z', ..] = rest
    {
        return Some(rest);
    }
    match after_prefix(source, b"INDEXED BY ") {
        Some(name) => Some(after_word(name)),
        None => None,
    }
}

const fn after_word(mut source: &[u8]) -> &[u8] {
    while let [byte, rest @ ..] = source {
        if !is_word(*byte) {
            break;
        }
        source = rest;
    }
    source
}

const fn after_prefix<'s>(mut source: &'s [u8], mut prefix: &[u8]) -> Option<&'s [u8]> {
    while let [wanted, wanted_rest @ ..] = prefix {
        match source {
            [found, rest @ ..] if *found == *wanted => (source, prefix) = (rest, wanted_rest),
            _ => return None,
        }
    }
    Some(source)
}

/// Writes `bytes` if there is room, and returns what is left of it and their number.
const fn put<'r>(mut bytes: &[u8], mut room: &'r mut [u8]) -> (&'r mut [u8], usize) {
    let length = bytes.len();
    while let [byte, rest @ ..] = bytes {
        match room {
            [] => return (room, length),
            [place, left @ ..] => {
                *place = *byte;
                room = left;
            }
        }
        bytes = rest;
    }
    (room, length)
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::Texts;

    const ALL: Texts = texts!(concat!(
        "SELECT json_array(a.json_array, '?1 json_array(', ?1, ?12) FROM json_ids(?2) i CROSS JOIN a \
         INDEXED BY a_by_b ON a.id = i.value WHERE ?3:text IS NULL AND +a.x = '",
        either!("it''s", either!("never", "hers")),
        "\u{2714}' ",
        either!("ORDER BY rowid", ""),
    ));

    #[test]
    fn what_differs_is_translated_outside_of_quotes() {
        assert_eq!(
            ALL.sqlite,
            "SELECT json_array(a.json_array, '?1 json_array(', ?1, ?12) FROM json_each(?2) i CROSS JOIN a \
             INDEXED BY a_by_b ON a.id = i.value WHERE ?3 IS NULL AND +a.x = 'it''s\u{2714}' ORDER BY rowid"
        );
        assert_eq!(
            ALL.postgres,
            " SELECT json_build_array(a.json_array, '?1 json_array(', $1, $12) FROM json_ids($2) i JOIN a  \
             ON a.id = i.value WHERE $3::text IS NULL AND a.x = 'hers\u{2714}' "
        );
    }

    #[test]
    fn parts_may_stand_in_parts_for_either() {
        const TEXTS: Texts = texts!(concat!(
            "a",
            either!(
                concat!("b", either!("c", "d"), "e"),
                concat!("f", either!("g", "h"), "i")
            ),
            "j"
        ));
        assert_eq!((TEXTS.sqlite, TEXTS.postgres), ("abcej", " afhij"));
    }
}
