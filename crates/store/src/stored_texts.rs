//! The columns with names and descriptions, so that all of them can be read and mended.
//!
//! Owns which columns those are. What is right about a text is decided by the caller.

use spindle_domain::RealmId;

use crate::{Db, DbError, Query, Statement, WriteTx, params, row_struct, sql, statement};

/// A column of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextColumn {
    /// Its table.
    pub table: &'static str,
    /// Its name.
    pub column: &'static str,
    /// Whether the form for comparison is another column.
    pub is_folded: bool,
    all: Query,
    set: Statement,
}

row_struct! {
    /// A text, and the two numbers that find its row again.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TextRow {
        key: i64,
        part: i64,
        /// The text.
        pub text: String,
    }
}

macro_rules! column {
    ($table:literal, $column:literal) => {
        column!($table, $column, "id", "id")
    };
    ($table:literal, $column:literal, $key:literal, $part:literal) => {
        TextColumn {
            table: $table,
            column: $column,
            is_folded: false,
            all: column!(@all $table, $column, $key, $part),
            set: statement!(
                "UPDATE ", $table, " SET ", $column, " = ?3 WHERE ", $key, " = ?1 AND ", $part, " = ?2"
            ),
        }
    };
    (folded $table:literal, $column:literal) => {
        column!(@folded $table, $column, column!(@all $table, $column, "id", "id"))
    };
    (@folded $table:literal, $column:literal, $all:expr) => {
        TextColumn {
            table: $table,
            column: $column,
            is_folded: true,
            all: $all,
            set: statement!(
                "UPDATE ", $table, " SET ", $column, " = ?3, ", $column,
                "_folded = ?4 WHERE id = ?1 AND id = ?2"
            ),
        }
    };
    (@all $table:literal, $column:literal, $key:literal, $part:literal) => {
        sql!(
            "SELECT ", $key, " AS key, ", $part, " AS part, ", $column, " AS text FROM ", $table,
            " WHERE ", $column, " IS NOT NULL ORDER BY ", $key, ", ", $part
        )
    };
}

/// The names of all accounts except the system bots, whose names are reserved.
fn people() -> Query {
    sql!(
        "SELECT id AS key, id AS part, full_name AS text FROM users \
         WHERE realm_id <> 0 ORDER BY id"
    )
}

/// All columns whose texts other users receive.
#[must_use]
pub fn columns() -> Vec<TextColumn> {
    vec![
        column!("realms", "name"),
        column!("realms", "description"),
        column!("realms", "rendered_description"),
        column!(@folded "users", "full_name", people()),
        column!(folded "channels", "name"),
        column!("channels", "description"),
        column!("channels", "rendered_description"),
        column!(folded "channel_folders", "name"),
        column!("channel_folders", "description"),
        column!("channel_folders", "rendered_description"),
        column!("user_groups", "name"),
        column!("user_groups", "description"),
        column!("profile_fields", "name"),
        column!("profile_fields", "hint"),
        column!("profile_fields", "field_data"),
        column!("profile_values", "value", "user_id", "field_id"),
        column!("profile_values", "rendered_value", "user_id", "field_id"),
        column!("user_statuses", "status_text", "user_id", "user_id"),
        column!("realm_playgrounds", "name"),
    ]
}

impl TextColumn {
    /// All texts.
    pub fn all(&self, db: &dyn Db) -> Result<Vec<TextRow>, DbError> {
        db.query(self.all, &[])?.all()
    }

    /// Replaces a text. `folded` is its form for comparison.
    ///
    /// # Errors
    /// [`DbError::NotUnique`] for a name that another row has.
    pub fn set(
        &self,
        tx: &WriteTx<'_>,
        row: &TextRow,
        text: &str,
        folded: &str,
    ) -> Result<(), DbError> {
        if self.is_folded {
            tx.execute(self.set, &params![row.key, row.part, text, folded])?;
        } else {
            tx.execute(self.set, &params![row.key, row.part, text])?;
        }
        Ok(())
    }
}

/// Whether the texts of an organization have been mended.
pub fn are_mended(db: &dyn Db, realm_id: RealmId) -> Result<bool, DbError> {
    let found = db
        .query(
            sql!("SELECT texts_mended <> 0 FROM realms WHERE id = ?1"),
            &params![realm_id],
        )?
        .value()?;
    // Nothing is to be mended where there is no organization yet.
    Ok(found.unwrap_or(true))
}

/// Notes that they have been mended.
pub fn note_mended(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET texts_mended = 1 WHERE id = ?1"),
        &params![realm_id],
    )?;
    Ok(())
}
