//! The texts of statements. Reading statements have another type than writing ones.
//!
//! Owns the check that a reading statement writes nothing, which happens when the crate is compiled,
//! so that a statement that writes cannot be given to a function that reads. What runs a statement
//! is a connection ([`crate::Connection`]) or a transaction.

use crate::dialect::Texts;
use crate::reads_only::begins_to_read;

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
