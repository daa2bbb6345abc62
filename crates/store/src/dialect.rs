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
//! Knows no tables and runs nothing.

use crate::reads_only::writes_at;

/// Both texts of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) sqlite: &'static str,
    /// Nothing but a blank where there is no such statement.
    pub(crate) postgres: &'static str,
    /// Whether both have, outside of quotes, no word of a statement that writes.
    pub(crate) reads_only: bool,
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
        use $crate::dialect::{Dialect, ROOM, Texts, Translation, exact, text, translated};
        // The blank distinguishes it from the text for SQLite in the file of a component
        // (tests/platform/linked.rs).
        const SOURCE: &str = concat!(" ", $source);
        const SQLITE: Translation<{ ROOM * SOURCE.len() }> = translated($source, Dialect::Sqlite);
        const POSTGRES: Translation<{ ROOM * SOURCE.len() }> =
            translated(SOURCE, Dialect::Postgres);
        const SQLITE_BYTES: &[u8] = &exact::<_, { SQLITE.length }>(&SQLITE);
        const POSTGRES_BYTES: &[u8] = &exact::<_, { POSTGRES.length }>(&POSTGRES);
        Texts {
            sqlite: if SQLITE.is_source {
                $source
            } else {
                text(SQLITE_BYTES)
            },
            postgres: if POSTGRES.is_source {
                SOURCE
            } else {
                text(POSTGRES_BYTES)
            },
            reads_only: SQLITE.reads_only && POSTGRES.reads_only,
        }
    }};
}

pub(crate) use texts;

/// How many times as long as a source its translation may be.
pub(crate) const ROOM: usize = 2;

/// A translation at the beginning of `bytes`, and what was found on the way.
pub(crate) struct Translation<const LENGTH: usize> {
    bytes: [u8; LENGTH],
    pub(crate) length: usize,
    /// Whether it is the source.
    pub(crate) is_source: bool,
    /// Whether it has, outside of quotes, no word of a statement that writes.
    pub(crate) reads_only: bool,
}

/// A translation into [`ROOM`] times as many bytes as the source has.
pub(crate) const fn translated<const LENGTH: usize>(
    source: &str,
    dialect: Dialect,
) -> Translation<LENGTH> {
    let mut bytes = [0; LENGTH];
    let found = translate(source.as_bytes(), dialect, &mut bytes);
    Translation {
        bytes,
        length: found.length,
        is_source: found.is_source,
        reads_only: found.reads_only,
    }
}

/// The bytes of a translation, without the room that is left.
pub(crate) const fn exact<const ROOM: usize, const LENGTH: usize>(
    translation: &Translation<ROOM>,
) -> [u8; LENGTH] {
    match translation.bytes.first_chunk() {
        Some(bytes) => *bytes,
        None => [0; LENGTH],
    }
}

/// A translation as text. Insertions and omissions are whole characters.
pub(crate) const fn text(bytes: &[u8]) -> &str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

struct Found {
    length: usize,
    is_source: bool,
    reads_only: bool,
}

/// Writes the translation. Every step and every call costs time whenever the crate is compiled: the commonest bytes come
/// first, bytes that stay as they are are copied together, and a call is made only after the first letters.
const fn translate(mut source: &[u8], dialect: Dialect, room: &mut [u8]) -> Found {
    let mut copy = Copy {
        room,
        length: 0,
        left: source,
        is_source: true,
    };
    let mut quote = 0;
    let mut in_word = false;
    let mut in_parameter = false;
    let mut reads_only = true;
    // Parts for the other database that are open here.
    let mut skipped = 0;
    let is_postgres = matches!(dialect, Dialect::Postgres);
    while let [byte, rest @ ..] = source {
        let byte = *byte;
        if in_word && byte >= b'a' && byte <= b'z' {
            // Nothing begins within a word.
        } else if byte <= FOR_BOTH {
            if skipped == 0 {
                copy = copy.up_to(source);
            }
            skipped = after_mark(byte, skipped, dialect);
            copy = copy.with(b"", rest);
        } else if skipped > 0 {
            // What the other database has says nothing about this one.
        } else if quote != 0 {
            if byte == quote {
                quote = 0;
            }
        } else {
            let replaced = if in_word {
                None
            } else {
                if let [
                    b'I' | b'i' | b'U' | b'u' | b'D' | b'd' | b'R' | b'r',
                    b'N' | b'n' | b'P' | b'p' | b'E' | b'e',
                    b'S' | b's' | b'D' | b'd' | b'L' | b'l' | b'P' | b'p',
                    ..,
                ] = source
                    && writes_at(source)
                {
                    reads_only = false;
                }
                match source {
                    [b'j', b's', ..]
                    | [b'g', b'r', ..]
                    | [b'C', b'R', ..]
                    | [b'L', b'I', ..]
                    | [b's', b'q', ..]
                    | [b'r', b'a', ..]
                    | [b'c', b'h', b'a', b'r', ..] => renamed(source, dialect),
                    [b'+', ..] | [b'I', b'N', b'D', ..] if is_postgres => without_hint(source),
                    _ => None,
                }
            };
            let replaced = if byte == b'?' && is_postgres {
                Some((rest, b"$".as_slice()))
            } else if in_parameter && byte == b':' {
                Some(match dialect {
                    Dialect::Sqlite => (after_word(rest), b"".as_slice()),
                    Dialect::Postgres => (rest, b"::".as_slice()),
                })
            } else {
                replaced
            };
            in_parameter = byte == b'?' || in_parameter && byte >= b'0' && byte <= b'9';
            if let Some((after, text)) = replaced {
                copy = copy.up_to(source).with(text, after);
                // Scans the following text as if a blank preceded it.
                in_word = false;
                source = after;
                continue;
            }
            if byte == b'\'' || byte == b'"' {
                quote = byte;
            }
            in_word = matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
        }
        source = rest;
    }
    let copy = copy.up_to(source);
    Found {
        length: copy.length,
        is_source: copy.is_source,
        reads_only,
    }
}

/// Where a translation has come to.
struct Copy<'s, 'r> {
    /// Not written yet.
    room: &'r mut [u8],
    length: usize,
    /// The source from the first byte on that has been neither copied nor replaced.
    left: &'s [u8],
    is_source: bool,
}

impl<'s> Copy<'s, '_> {
    /// Copies the source up to the text `after`.
    const fn up_to(self, after: &'s [u8]) -> Self {
        let (bytes, _) = self.left.split_at(self.left.len() - after.len());
        let is_source = self.is_source;
        let copy = self.with(bytes, after);
        Self { is_source, ..copy }
    }

    /// Writes `bytes` in place of the source up to the text `after`.
    const fn with(self, bytes: &[u8], after: &'s [u8]) -> Self {
        let (place, room) = self.room.split_at_mut(bytes.len());
        place.copy_from_slice(bytes);
        Self {
            room,
            length: self.length + bytes.len(),
            left: after,
            is_source: false,
        }
    }
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
const fn without_hint(source: &[u8]) -> Option<(&[u8], &'static [u8])> {
    if let [b'+', rest @ ..] = source
        && let [b'a'..=b'z', ..] = rest
    {
        return Some((rest, b""));
    }
    match after_prefix(source, b"INDEXED BY ") {
        Some(name) => Some((after_word(name), b"")),
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

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::{Dialect, RENAMED, Texts, translated};

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
    fn every_name_in_the_list_is_found() {
        for (name, sqlite, postgres) in RENAMED {
            let source = str::from_utf8(name).unwrap();
            for (dialect, expected) in [(Dialect::Sqlite, sqlite), (Dialect::Postgres, postgres)] {
                let found = translated::<100>(source, dialect);
                assert_eq!(found.bytes[..found.length], *expected, "{source}");
            }
        }
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
