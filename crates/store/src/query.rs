//! The texts of a statement: those of statements that read have another type than those that write.
//!
//! Owns the check that a reading statement writes nothing, which happens when the crate is compiled,
//! so that a statement that writes cannot be given to a function that reads. What runs a statement
//! is a connection ([`crate::Connection`]) or a transaction.

use crate::dialect::Texts;

/// A statement that only reads. [`sql!`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query(&'static Texts);

impl Query {
    /// Takes the texts of a statement; in a constant, one that writes does not compile.
    pub(crate) const fn new(texts: &'static Texts) -> Self {
        assert!(
            texts.reads_only
                && begins_to_read(texts.sqlite.as_bytes())
                && matches!(texts.postgres.as_bytes(), [b' ', text @ ..] if text.is_empty() || begins_to_read(text)),
            "this statement writes: it needs a transaction that writes (WriteTx::execute)"
        );
        Self(texts)
    }

    /// The text of the statement for SQLite.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.0.sqlite
    }

    /// The text of the statement for PostgreSQL.
    #[must_use]
    pub const fn postgres_text(self) -> &'static str {
        self.0.postgres
    }
}

/// Any statement of this crate, on its way to a connection: a [`Query`], or one that writes, which
/// [`statement!`] makes. Others can read and pass on its texts, but make none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement(&'static Texts);

impl Statement {
    pub(crate) const fn new(texts: &'static Texts) -> Self {
        Self(texts)
    }

    /// The text of the statement for SQLite.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.0.sqlite
    }

    /// The text of the statement for PostgreSQL.
    #[must_use]
    pub const fn postgres_text(self) -> &'static str {
        self.0.postgres
    }
}

impl From<Query> for Statement {
    fn from(query: Query) -> Self {
        Self(query.0)
    }
}

/// Tests prepare rows of SQLite by texts that no other database sees.
#[cfg(test)]
impl From<&'static str> for Statement {
    fn from(sqlite: &'static str) -> Self {
        Self(Box::leak(Box::new(Texts {
            sqlite,
            postgres: "",
            reads_only: false,
        })))
    }
}

/// A [`Query`] of one text, or of several that follow one another, in the spelling of
/// `dialect.rs`.
macro_rules! sql {
    ($($part:expr),+ $(,)?) => {{
        const TEXTS: &$crate::dialect::Texts = &$crate::dialect::texts!(concat!($($part),+));
        // A named constant is checked by `cargo check` already.
        const QUERY: $crate::Query = $crate::Query::new(TEXTS);
        $crate::query::listed!(TEXTS);
        QUERY
    }};
}

/// A [`Statement`] of one text, or of several that follow one another: one that writes.
macro_rules! statement {
    ($($part:expr),+ $(,)?) => {{
        const TEXTS: &$crate::dialect::Texts = &$crate::dialect::texts!(concat!($($part),+));
        const STATEMENT: $crate::Statement = $crate::Statement::new(TEXTS);
        $crate::query::listed!(TEXTS);
        STATEMENT
    }};
}

/// The condition that a column has one of the values of a subquery that returns a limited number of them. PostgreSQL evaluates
/// it once, as an array: where its statistics are older than the rows, it takes `IN` for a join of single rows,
/// and evaluates the subquery for each row.
macro_rules! among {
    ($($subquery:expr),+ $(,)?) => {
        concat!(
            $crate::dialect::either!("IN (", "= ANY (ARRAY("),
            $($subquery,)+
            $crate::dialect::either!(")", "))"),
        )
    };
}

pub(crate) use among;

/// Where a statement is written, and its texts.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    pub(crate) module: &'static str,
    pub(crate) texts: &'static Texts,
}

#[cfg(test)]
inventory::collect!(Listed);

/// Notes a statement for the test that prepares all of them.
macro_rules! listed {
    ($texts:expr) => {
        #[cfg(test)]
        inventory::submit! {
            $crate::query::Listed {
                file: file!(),
                line: line!(),
                module: module_path!(),
                texts: $texts,
            }
        }
    };
}

pub(crate) use {listed, sql, statement};

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
const fn begins_to_read(text: &[u8]) -> bool {
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
