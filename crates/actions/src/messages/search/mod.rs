//! Full-text search: what a person types, as an expression of the index, and where it hits.
//!
//! Owns how texts are cut into words outside of the database; the index itself, kept true by
//! triggers, cuts alike (`migrations/0014_search.sql`). Nothing is read here.

mod highlight;
mod phrase;
mod query;
mod words;

pub(crate) use query::SearchQuery;
