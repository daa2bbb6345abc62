//! Notes to oneself about a message, for later.
//!
//! What a person does names the person in every statement. They go with their message.

use crate::{Db, DbError, WriteTx, params, sql};

/// A reminder as the wire has it (docs/protocol/scheduled.md#reminders).
macro_rules! reminder_object {
    () => {
        "json_object('reminder_id', id, 'type', 'private', 'to', json_array(user_id), \
         'content', content, 'rendered_content', rendered_content, \
         'scheduled_delivery_timestamp', deliver_at, \
         'failed', json(iif(failure IS NULL, 'false', 'true')), \
         'reminder_target_message_id', message_id)"
    };
}

/// What is stored of a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReminder<'a> {
    /// What it is about.
    pub message_id: i64,
    /// Markdown.
    pub content: &'a str,
    /// HTML.
    pub rendered_content: &'a str,
    /// UNIX seconds.
    pub deliver_at: i64,
    /// Base URL of the organization, as the client knows it.
    pub realm_url: &'a str,
}

/// A reminder whose time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueReminder {
    /// Its id.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// Markdown.
    pub content: String,
    /// Base URL of the organization.
    pub realm_url: String,
}

/// The reminders of a user as a JSON list, the next one first.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn records(db: &dyn Db, user_id: i64) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            reminder_object!(),
            " ORDER BY deliver_at, id) FROM reminders WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .read_one(|row| row.text())
}

/// Stores a reminder; returns its id and its object as JSON.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: i64,
    user_id: i64,
    reminder: &NewReminder<'_>,
) -> Result<(i64, String), DbError> {
    tx.execute(
        concat!(
            "INSERT INTO reminders (realm_id, user_id, message_id, content, rendered_content, \
             deliver_at, realm_url) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id, ",
            reminder_object!()
        ),
        &params![
            realm_id,
            user_id,
            reminder.message_id,
            reminder.content,
            reminder.rendered_content,
            reminder.deliver_at,
            reminder.realm_url
        ],
    )?
    .read_one(|row| Ok((row.integer()?, row.text()?)))
}

/// Deletes a reminder; false when the user has no such reminder.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete(tx: &WriteTx<'_>, user_id: i64, reminder_id: i64) -> Result<bool, DbError> {
    let rows = tx.execute(
        "DELETE FROM reminders WHERE id = ?2 AND user_id = ?1 RETURNING 1",
        &params![user_id, reminder_id],
    )?;
    Ok(!rows.rows.is_empty())
}

/// Deletes the reminders about these messages (a JSON list of ids); returns pairs of user and
/// reminder.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn delete_about(tx: &WriteTx<'_>, message_ids: &str) -> Result<Vec<(i64, i64)>, DbError> {
    tx.execute(
        "DELETE FROM reminders WHERE message_id IN (SELECT value FROM json_each(?1)) \
         RETURNING user_id, id",
        &params![message_ids],
    )?
    .read_all(|row| Ok((row.integer()?, row.integer()?)))
}

/// At most `limit` reminders whose time has come at `now`, the oldest first.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn due(db: &dyn Db, now: i64, limit: i64) -> Result<Vec<DueReminder>, DbError> {
    db.query(
        sql!(
            "SELECT id, user_id, content, realm_url FROM reminders \
             WHERE failure IS NULL AND deliver_at <= ?1 ORDER BY deliver_at, id LIMIT ?2"
        ),
        &params![now, limit],
    )?
    .read_all(|row| {
        Ok(DueReminder {
            id: row.integer()?,
            user_id: row.integer()?,
            content: row.text()?,
            realm_url: row.text()?,
        })
    })
}

/// Notes that a reminder could not be delivered.
///
/// # Errors
/// [`DbError`] when the statement fails.
pub fn set_failed(tx: &WriteTx<'_>, reminder_id: i64, failure: &str) -> Result<(), DbError> {
    tx.execute(
        "UPDATE reminders SET failure = ?2 WHERE id = ?1",
        &params![reminder_id, failure],
    )?;
    Ok(())
}
