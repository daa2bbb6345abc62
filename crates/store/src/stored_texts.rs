//! The columns with texts that people write, so that texts of older versions can be brought into today's form.
//!
//! Owns the list of these columns, and the progress. The caller decides what is wrong with a text.

use spindle_domain::{MessageId, RealmId};

use crate::{
    Db, DbError, Query, Statement, WriteTx, message_words, params, row_struct, sql, statement,
};

/// Rows that are read at a time.
const PAGE: i64 = 500;
/// Messages that are read at a time. A message and its history may take a megabyte.
const MESSAGES: i64 = 100;
/// The value of `texts_mended` once all columns of this version are in their form.
const LEVEL: i64 = 3;

/// A column of texts.
#[derive(Debug, Clone, Copy)]
pub struct TextColumn {
    /// Its table.
    pub table: &'static str,
    pub column: &'static str,
    /// Whether the form for comparison is another column.
    pub is_folded: bool,
    page: Query,
    set: Statement,
}

row_struct! {
    /// A text, and the two numbers that find its row again.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TextRow {
        /// The first of them; the id of the user where rows belong to users.
        pub key: i64,
        part: i64,
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
            page: column!(@page $table, $column, $key, $part),
            set: statement!(
                "UPDATE ", $table, " SET ", $column, " = ?3 WHERE ", $key, " = ?1 AND ", $part, " = ?2"
            ),
        }
    };
    (folded $table:literal, $column:literal) => {
        column!(@folded $table, $column, column!(@page $table, $column, "id", "id"))
    };
    (@folded $table:literal, $column:literal, $page:expr) => {
        TextColumn {
            table: $table,
            column: $column,
            is_folded: true,
            page: $page,
            set: statement!(
                "UPDATE ", $table, " SET ", $column, " = ?3, ", $column,
                "_folded = ?4 WHERE id = ?1 AND id = ?2"
            ),
        }
    };
    (@page $table:literal, $column:literal, $key:literal, $part:literal) => {
        sql!(
            "SELECT ", $key, " AS key, ", $part, " AS part, ", $column, " AS text FROM ", $table,
            " WHERE ", $column, " IS NOT NULL AND (", $key, " > ?1 OR ", $key, " = ?1 AND ", $part, " > ?2) ORDER BY ",
            $key, ", ", $part, " LIMIT ?3"
        )
    };
}

/// Alert words, which are replaced by [`crate::alert_words`], since their folded form is their key.
#[must_use]
pub fn alert_words() -> TextColumn {
    column!("alert_words", "word", "user_id", "position")
}

/// The names of all accounts except the system bots, whose names are reserved.
fn people() -> Query {
    sql!(
        "SELECT id AS key, id AS part, full_name AS text FROM users \
         WHERE realm_id <> 0 AND (id > ?1 OR id = ?1 AND id > ?2) ORDER BY id LIMIT ?3"
    )
}

/// All columns but those of messages and alert words: first what other users receive, then what only its owner does.
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
        column!("drafts", "topic"),
        column!("drafts", "content"),
        column!("saved_snippets", "title"),
        column!("saved_snippets", "content"),
        column!("scheduled_messages", "topic"),
        column!("scheduled_messages", "content"),
        column!("scheduled_messages", "rendered_content"),
        column!("reminders", "content"),
        column!("reminders", "rendered_content"),
    ]
}

impl TextColumn {
    /// The texts after `last`, some hundred at most; the first ones when it is none.
    pub fn page(&self, db: &dyn Db, last: Option<&TextRow>) -> Result<Vec<TextRow>, DbError> {
        let (key, part) = last.map_or((i64::MIN, 0), |row| (row.key, row.part));
        db.query(self.page, &params![key, part, PAGE])?.all()
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

/// Returns true if the stored texts of an organization have been corrected.
pub fn are_mended(db: &dyn Db, realm_id: RealmId) -> Result<bool, DbError> {
    let found = db
        .query(
            sql!("SELECT texts_mended >= ?2 FROM realms WHERE id = ?1"),
            &params![realm_id, LEVEL],
        )?
        .value()?;
    // Without an organization there is nothing to correct.
    Ok(found.unwrap_or(true))
}

/// Records that they have been corrected.
pub fn note_mended(tx: &WriteTx<'_>, realm_id: RealmId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET texts_mended = ?2 WHERE id = ?1"),
        &params![realm_id, LEVEL],
    )?;
    Ok(())
}

row_struct! {
    /// The texts of a message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MessageTexts {
        /// Message.
        pub id: MessageId,
        /// Markdown.
        pub content: String,
        /// HTML.
        pub rendered_content: String,
        /// JSON list of earlier states.
        pub edit_history: Option<String>,
    }
}

/// The newest message to fix; `None` means that all have been fixed.
pub fn message_to_mend(db: &dyn Db, realm_id: RealmId) -> Result<Option<MessageId>, DbError> {
    db.query(
        sql!("SELECT messages_to_mend FROM realms WHERE id = ?1 AND messages_to_mend > 0"),
        &params![realm_id],
    )?
    .value()
}

/// The next messages to fix, newest first, beginning with `newest`.
pub fn messages(db: &dyn Db, newest: MessageId) -> Result<Vec<MessageTexts>, DbError> {
    db.query(
        sql!(
            "SELECT id, content, rendered_content, edit_history FROM messages WHERE id <= ?1 \
             ORDER BY id DESC LIMIT ?2"
        ),
        &params![newest, MESSAGES],
    )?
    .all()
}

/// Replaces the texts of a message, without a trace of an edit.
pub fn set_message(tx: &WriteTx<'_>, texts: &MessageTexts) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE messages SET content = ?2, rendered_content = ?3, edit_history = ?4 WHERE id = ?1"
        ),
        &params![
            texts.id,
            texts.content.as_str(),
            texts.rendered_content.as_str(),
            texts.edit_history.as_deref()
        ],
    )?;
    message_words::replace(tx, texts.id, &texts.content)
}

/// Notes that all messages from `oldest` on have been fixed; `None` means all messages.
pub fn note_mended_messages(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    oldest: Option<MessageId>,
) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE realms SET messages_to_mend = coalesce(?2:bigint - 1, 0) WHERE id = ?1"),
        &params![realm_id, oldest],
    )?;
    Ok(())
}
