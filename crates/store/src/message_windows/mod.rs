//! Windows of messages around an anchor, filtered by a narrow.
//!
//! The terms of a narrow are parameters of constant statements, one for each way of walking the
//! tables, so that no statement is built from input. The result is ids: contents are read with
//! `messages::by_ids`. The caller decides what the reader may see, and passes it as terms.

mod filter;
mod statements;

pub use filter::Filter;

use spindle_domain::MessageId;

use crate::messages::flag;
use crate::{Db, DbError, Query, Value, params, sql};
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
pub fn ids(
    db: &dyn Db,
    filter: &Filter,
    side: Side,
    bound: MessageId,
    limit: i64,
) -> Result<Vec<MessageId>, DbError> {
    let source = filter.source();
    if let Some((query, params)) = bare(filter, source, side, bound, limit) {
        return db.query(query, &params)?.values();
    }
    walk(db, source, filter, side, bound, limit)
}

/// The statement without conditions, if the filter has none but the one of the way.
fn bare(
    filter: &Filter,
    source: Source,
    side: Side,
    bound: MessageId,
    limit: i64,
) -> Option<(Query, Vec<Value>)> {
    let query = statements::bare(source, side)?;
    let key = filter.only_key(source)?;
    let mut params = vec![key, bound.into(), limit.into()];
    if source == Source::Topic {
        params.push(filter.topic.as_deref().into());
    }
    Some((query, params))
}

fn walk(
    db: &dyn Db,
    source: Source,
    filter: &Filter,
    side: Side,
    bound: MessageId,
    limit: i64,
) -> Result<Vec<MessageId>, DbError> {
    let searched = matches!(source, Source::Search | Source::Ids);
    let params = filter.params(searched, bound, limit);
    db.query(statement(source, side), &params)?.values()
}

/// The first unread message of the reader that passes the filter.
pub fn first_unread(db: &dyn Db, filter: &Filter) -> Result<Option<MessageId>, DbError> {
    let filter = Filter {
        flags_none: filter.flags_none | flag::READ,
        ..filter.clone()
    };
    let found = match bare(&filter, Source::Unread, Side::After, MessageId::MIN, 1) {
        Some((query, params)) => db.query(query, &params)?.values()?,
        None => walk(db, Source::Unread, &filter, Side::After, MessageId::MIN, 1)?,
    };
    Ok(found.first().copied())
}

/// The first message that was sent at `date` (UNIX seconds) or later.
pub fn first_since(db: &dyn Db, date: i64) -> Result<Option<MessageId>, DbError> {
    db.query(
        sql!("SELECT id FROM messages WHERE date_sent >= ?1 ORDER BY date_sent, id LIMIT 1"),
        &params![date],
    )?
    .value()
}

#[cfg(test)]
mod postgres_tests;
#[cfg(test)]
mod tests;
