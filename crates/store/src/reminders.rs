//! Reminders: notes of a user about a message, delivered to them at a later time.
//!
//! A statement for a user names the user, so that another user's reminder is not found. Reminders are
//! deleted with their message.

use spindle_domain::{MessageId, RealmId, ReminderId, UserId};

use crate::{Db, DbError, ObjectRow, WriteTx, params, row_struct, sql, statement};

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

/// A new reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReminder<'a> {
    /// The message that it is about.
    pub message_id: MessageId,
    /// Markdown.
    pub content: &'a str,
    /// HTML.
    pub rendered_content: &'a str,
    /// UNIX seconds.
    pub deliver_at: i64,
    /// Base URL of the organization, as the client knows it.
    pub realm_url: &'a str,
}

row_struct! {
    /// A reminder that is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DueReminder {
        /// Reminder.
        pub id: ReminderId,
        /// The user who gets it.
        pub user_id: UserId,
        /// Markdown.
        pub content: String,
        /// Base URL of the organization.
        pub realm_url: String,
    }
}

/// The reminders of a user as a JSON list, the next one first.
pub fn records(db: &dyn Db, user_id: UserId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT json_group_array(",
            reminder_object!(),
            " ORDER BY deliver_at, id) FROM reminders WHERE user_id = ?1"
        ),
        &params![user_id],
    )?
    .one_value()
}

/// Stores a reminder and returns it.
pub fn insert(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    user_id: UserId,
    reminder: &NewReminder<'_>,
) -> Result<ObjectRow<ReminderId>, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO reminders (realm_id, user_id, message_id, content, rendered_content, \
             deliver_at, realm_url) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id, ",
            reminder_object!(),
            " AS object"
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
    .one()
}

/// Deletes a reminder; false when the user has no such reminder.
pub fn delete(tx: &WriteTx<'_>, user_id: UserId, reminder_id: ReminderId) -> Result<bool, DbError> {
    let rows = tx.execute(
        statement!("DELETE FROM reminders WHERE id = ?2 AND user_id = ?1 RETURNING 1"),
        &params![user_id, reminder_id],
    )?;
    Ok(!rows.rows.is_empty())
}

row_struct! {
    /// A reminder that was deleted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct DeletedReminder {
        /// Reminder.
        pub id: ReminderId,
        /// Its owner.
        pub user_id: UserId,
    }
}

/// Deletes the reminders about these messages (a JSON list of ids), and returns them.
pub fn delete_about(tx: &WriteTx<'_>, message_ids: &str) -> Result<Vec<DeletedReminder>, DbError> {
    tx.execute(
        statement!(
            "DELETE FROM reminders WHERE message_id IN (SELECT value FROM json_ids(?1)) \
         RETURNING id, user_id"
        ),
        &params![message_ids],
    )?
    .all()
}

/// At most `limit` reminders that are due at `now` (UNIX seconds): those of all people in turns, bots with their owners,
/// and of each the oldest first.
pub fn due(db: &dyn Db, now: i64, limit: i64) -> Result<Vec<DueReminder>, DbError> {
    db.query(
        sql!(
            "SELECT id, user_id, content, realm_url FROM ( \
                 SELECT r.id, r.user_id, r.content, r.realm_url, r.deliver_at, row_number() OVER ( \
                     PARTITION BY coalesce(u.bot_owner_id, u.id) ORDER BY r.deliver_at, r.id) AS turn \
                 FROM reminders r JOIN users u ON u.id = r.user_id \
                 WHERE r.failure IS NULL AND r.deliver_at <= ?1) AS waiting \
             ORDER BY turn, deliver_at, id LIMIT ?2"
        ),
        &params![now, limit],
    )?
    .all()
}

/// Notes that a reminder could not be delivered.
pub fn set_failed(tx: &WriteTx<'_>, reminder_id: ReminderId, failure: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE reminders SET failure = ?2 WHERE id = ?1"),
        &params![reminder_id, failure],
    )?;
    Ok(())
}
