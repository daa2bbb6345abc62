//! Rows of a data export, as the layout of the archive has them
//! (docs/protocol/archive.md#conventions, docs/protocol/archive.md#tables).
//!
//! Every statement of an export reads from the same snapshot, on a connection of its own, where
//! [`prepare`] has noted in the temporary tables of [`make_tables`] whose private data and which messages are exported.
//! Names of columns are those of the layout: foreign keys without `_id`, times as real numbers of
//! seconds, truth values as JSON has them. Nothing secret is ever selected: no password, no key,
//! no token; those of the services of bots are empty, because an import makes new ones.

mod files;
mod messages;
mod organization;
mod people;
mod scope;
#[cfg(test)]
mod tests;

pub use files::{ATTACHMENTS, ArchivedEmoji, ArchivedFile, ArchivedPicture, avatars, emoji, files};
pub use messages::{
    ArchivedMessage, BUTTONS, Receipt, count_messages, each_receipt, message_ids, messages,
};
pub use organization::ORGANIZATION;
pub use people::{ArchivedPerson, PEOPLE, consenting, people};
pub use scope::{Scope, channels, make_tables, prepare};

use std::ops::ControlFlow;

use spindle_domain::RealmId;

use crate::{Connection, DbError, Query, Value, params};

/// A table of the archive: its name, and a statement that yields each row as a JSON object, in
/// the order of ids. `?1` is the organization.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Name in the archive.
    pub name: &'static str,
    /// One column of JSON text.
    pub sql: Query,
}

/// Hands every row of a table to `each`, as JSON text; returns their number.
///
/// # Errors
/// [`DbError`] when the statement fails, or what `each` returns.
pub fn each_row<E: From<DbError>>(
    connection: &dyn Connection,
    realm_id: RealmId,
    table: &Table,
    mut each: impl FnMut(&str) -> Result<(), E>,
) -> Result<u64, E> {
    let mut count = 0;
    streamed(connection, table.sql, &params![realm_id], |row| {
        let [Value::Text(row)] = row else {
            return Err(DbError::Json(format!("a row of {} is no text", table.name)).into());
        };
        count += 1;
        each(row)
    })?;
    Ok(count)
}

/// Hands every row to `each` until it fails.
fn streamed<E: From<DbError>>(
    connection: &dyn Connection,
    query: Query,
    params: &[Value],
    mut each: impl FnMut(&[Value]) -> Result<(), E>,
) -> Result<(), E> {
    let mut outcome = Ok(());
    connection.stream(query, params, &mut |row| {
        outcome = each(row);
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    outcome
}

/// A truth value of a column, as JSON.
macro_rules! json_flag {
    ($column:expr) => {
        concat!("json(iif(", $column, ", 'true', 'false'))")
    };
}
use json_flag;
