//! Whether the text of a statement only reads, by its words; evaluated at build time.

/// Pragmas that only read.
const READING_PRAGMAS: [&[u8]; 4] = [
    b"PRAGMA data_version",
    b"PRAGMA user_version",
    b"PRAGMA quick_check",
    b"PRAGMA integrity_check",
];

/// Words that make a statement write. REPLACE is also the name of a function, see [`writes_at`].
const WRITING_WORDS: [&[u8]; 4] = [b"INSERT", b"UPDATE", b"DELETE", b"REPLACE"];

/// Whether a statement begins as one that reads. A common table expression can stand before either, so it must also have
/// no word of one that writes.
pub(crate) const fn begins_to_read(text: &[u8]) -> bool {
    let mut pragmas: &[&[u8]] = &READING_PRAGMAS;
    while let [pragma, rest @ ..] = pragmas {
        if pragma.len() == text.len() && starts_with(text, pragma) {
            return true;
        }
        pragmas = rest;
    }
    starts_with_word(text, b"SELECT") || starts_with_word(text, b"WITH")
}

/// Whether a writing word begins here. A call of the function `replace` is none.
pub(crate) const fn writes_at(text: &[u8]) -> bool {
    let mut words: &[&[u8]] = &WRITING_WORDS;
    while let [word, rest @ ..] = words {
        if starts_with_word(text, word) {
            let mut after = text;
            let mut left = word.len();
            while let ([_, next @ ..], true) = (after, left > 0) {
                after = next;
                left -= 1;
            }
            return !matches!(after, [b'(', ..]);
        }
        words = rest;
    }
    false
}

/// Whether `text` begins with `prefix`, in capitals or not.
const fn starts_with(mut text: &[u8], mut prefix: &[u8]) -> bool {
    while let [wanted, prefix_rest @ ..] = prefix {
        let [found, text_rest @ ..] = text else {
            return false;
        };
        if !found.eq_ignore_ascii_case(wanted) {
            return false;
        }
        (text, prefix) = (text_rest, prefix_rest);
    }
    true
}

/// Whether `text` begins with this whole word.
const fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    if !starts_with(text, word) {
        return false;
    }
    let mut after = text;
    let mut left = word.len();
    while let ([_, next @ ..], true) = (after, left > 0) {
        after = next;
        left -= 1;
    }
    !matches!(after, [byte, ..] if is_word(*byte))
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, translated};

    fn reads_only(text: &str) -> bool {
        translated::<200>(text, Dialect::Sqlite).reads_only && begins_to_read(text.as_bytes())
    }

    #[test]
    fn what_reads_passes() {
        for text in [
            "SELECT 1",
            "select id FROM users",
            "WITH x AS (SELECT 1) SELECT * FROM x",
            "SELECT 'DELETE FROM users', \"update\" FROM x WHERE y = 'it''s; DROP'",
            "SELECT replace(name, 'a', 'b'), last_update, updates, delete_at FROM x",
            "PRAGMA data_version",
        ] {
            assert!(reads_only(text), "{text}");
        }
    }

    #[test]
    fn what_writes_does_not() {
        for text in [
            "",
            "INSERT INTO x VALUES (1)",
            "insert into x values (1)",
            "UPDATE x SET a = 1 RETURNING a",
            "DELETE FROM x",
            "REPLACE INTO x VALUES (1)",
            "WITH n AS (SELECT 1) INSERT INTO x SELECT * FROM n",
            "WITH n AS (SELECT 1) DELETE FROM x",
            "WITH n AS (SELECT 'a''b') update x SET a = 'b'",
            "WITH n AS (SELECT 1) REPLACE INTO x SELECT * FROM n",
            "SELECTED",
            "BEGIN IMMEDIATE",
            "COMMIT",
            "CREATE TABLE x (y)",
            "DROP TABLE x",
            "VACUUM",
            "PRAGMA user_version = 7",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ] {
            assert!(!reads_only(text), "{text}");
        }
    }
}
