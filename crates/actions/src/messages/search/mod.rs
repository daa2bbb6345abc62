//! Full-text search: what a person types, as an expression of the index, and where it hits.
//!
//! Owns the two languages of the indexes: SQLite's splits texts itself (`migrations/0014_search.sql`), PostgreSQL's is
//! given words (docs/adr/0052-words-for-postgresql.md). Nothing is read here.

mod highlight;
mod phrase;
mod query;

pub(crate) use query::SearchQuery;

#[cfg(test)]
mod tests;
