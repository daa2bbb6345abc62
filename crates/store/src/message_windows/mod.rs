//! Windows of messages around an anchor, filtered by a narrow.
//!
//! What a narrow asks for goes in as the parameters of constant statements, one for each way
//! of walking the tables, so that no statement is built from input. Only ids come out:
//! contents are read with `messages::by_ids`. What the reader may see goes in, decided by the
//! caller.

mod filter;
mod statements;

pub use filter::Filter;

use crate::{Db, DbError, params, sql};
use statements::{Source, statement};

/// One side of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Ids up to the bound, the newest first.
    Before,
    /// Ids from the bound on, the oldest first.
    After,
}

/// Ids of at most `limit` messages on one side of `bound`, which is included, in the order
/// of [`Side`].
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn ids(
    db: &dyn Db,
    filter: &Filter,
    side: Side,
    bound: i64,
    limit: i64,
) -> Result<Vec<i64>, DbError> {
    walk(db, filter.source(), filter, side, bound, limit)
}

fn walk(
    db: &dyn Db,
    source: Source,
    filter: &Filter,
    side: Side,
    bound: i64,
    limit: i64,
) -> Result<Vec<i64>, DbError> {
    let searched = matches!(source, Source::Search | Source::Ids);
    let params = filter.params(searched, bound, limit);
    db.query(statement(source, side), &params)?
        .read_all(|row| row.integer())
}

/// The first unread message of the reader that passes the filter.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first_unread(db: &dyn Db, filter: &Filter) -> Result<Option<i64>, DbError> {
    let found = walk(db, Source::Unread, filter, Side::After, 0, 1)?;
    Ok(found.first().copied())
}

/// The first message that was sent at `date` (UNIX seconds) or later.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn first_since(db: &dyn Db, date: i64) -> Result<Option<i64>, DbError> {
    db.query(
        sql!("SELECT id FROM messages WHERE date_sent >= ?1 ORDER BY date_sent, id LIMIT 1"),
        &params![date],
    )?
    .read_first(|row| row.integer())
}

#[cfg(test)]
mod tests;
