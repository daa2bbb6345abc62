//! Rows of a data export, as the layout of the archive has them
//! (docs/protocol/archive.md#conventions, docs/protocol/archive.md#tables).
//!
//! Every statement of an export reads from the same snapshot, on a connection of its own, where
//! [`prepare`] has noted in temporary tables whose private data and which messages are exported.
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
pub use messages::{ArchivedMessage, Receipt, count_messages, each_receipt, message_ids, messages};
pub use organization::ORGANIZATION;
pub use people::{ArchivedPerson, PEOPLE, consenting, people};
pub use scope::{Scope, channels, prepare};

use rusqlite::Connection;
use spindle_domain::RealmId;

use crate::{DbError, Query};

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
    connection: &Connection,
    realm_id: RealmId,
    table: &Table,
    mut each: impl FnMut(&str) -> Result<(), E>,
) -> Result<u64, E> {
    let mut statement = connection
        .prepare(table.sql.text())
        .map_err(DbError::from)?;
    let mut rows = statement.query([realm_id.get()]).map_err(DbError::from)?;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(DbError::from)? {
        let text = row.get_ref(0).map_err(DbError::from)?;
        let text = text
            .as_str()
            .map_err(|error| DbError::Json(error.to_string()))?;
        each(text)?;
        count += 1;
    }
    Ok(count)
}

/// A truth value of a column, as JSON.
macro_rules! json_flag {
    ($column:expr) => {
        concat!("json(iif(", $column, ", 'true', 'false'))")
    };
}
use json_flag;
