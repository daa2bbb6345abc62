//! Uploaded files and the messages that name them.
//!
//! Owns the rows of `attachments` and `attachment_messages`. The record of the wire is built by
//! SQLite, one form for the listing and the events. Who may have a file is decided by the
//! caller, from the messages that this module names.

use spindle_domain::{AttachmentId, ChannelId, MessageId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// A file that was uploaded.
#[derive(Debug, Clone)]
pub struct NewAttachment<'a> {
    pub realm_id: RealmId,
    /// The user who uploaded it.
    pub owner_id: UserId,
    /// `<realm id>/<random>/<name>`.
    pub path_id: &'a str,
    /// Where its content is.
    pub blob_key: &'a str,
    /// As shown to people.
    pub name: &'a str,
    /// Media type.
    pub content_type: &'a str,
    /// Bytes.
    pub size: i64,
    /// UNIX seconds.
    pub create_time: i64,
    /// Of an image.
    pub preview: Option<NewPreview<'a>>,
}

/// The preview of an image.
#[derive(Debug, Clone, Copy)]
pub struct NewPreview<'a> {
    /// Where it is.
    pub key: &'a str,
    /// Width of the original in pixels.
    pub width: i64,
    /// Height of the original in pixels.
    pub height: i64,
    /// Whether messages show the original moving.
    pub moves: bool,
    /// Where a copy that browsers show is, if they do not show the original.
    pub transcoded_key: Option<&'a str>,
}

row_struct! {
    /// An uploaded file.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AttachmentRow {
        pub id: AttachmentId,
        /// The user who uploaded it.
        pub owner_id: UserId,
        /// `<realm id>/<random>/<name>`.
        pub path_id: String,
        /// Where its content is.
        pub blob_key: String,
        /// As shown to people.
        pub name: String,
        /// Media type.
        pub content_type: String,
        /// Where its preview is, if it has one.
        pub preview_key: Option<String>,
        /// Width in pixels, of an image with a preview.
        pub width: Option<i64>,
        /// Height in pixels, of an image with a preview.
        pub height: Option<i64>,
        /// Whether it is an image that messages show moving.
        pub moves: bool,
        /// Where the displayable copy of an image is that browsers cannot show.
        pub transcoded_key: Option<String>,
    }
}

impl AttachmentRow {
    /// Width and height in pixels, of an image with a preview.
    #[must_use]
    pub fn dimensions(&self) -> Option<(i64, i64)> {
        self.width.zip(self.height)
    }
}

row_struct! {
    /// How the messages of one conversation that name a file reach a reader.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Naming {
        /// `None` means direct messages.
        pub channel_id: Option<ChannelId>,
        /// Whether one of them was delivered to the reader.
        pub is_recipient: bool,
    }
}

macro_rules! attachment_columns {
    () => {
        "SELECT id, owner_id, path_id, blob_key, name, content_type, preview_key, width, height, \
         moves, transcoded_key FROM attachments "
    };
}

/// The record of the wire (docs/protocol/files.md#get_attachments): its messages as ids, and with
/// their times (docs/protocol/conventions.md#feature-levels, FL 443), as clients of both kinds read
/// them.
macro_rules! attachment_record {
    () => {
        "json_object('id', a.id, 'name', a.name, 'path_id', a.path_id, 'size', a.size, \
         'create_time', a.create_time, 'message_ids', json((SELECT coalesce( \
         json_group_array(am.message_id ORDER BY am.message_id), '[]') \
         FROM attachment_messages am WHERE am.attachment_id = a.id)), \
         'messages', json((SELECT coalesce(json_group_array( \
         json_object('id', m.id, 'date_sent', m.date_sent) ORDER BY m.id), '[]') \
         FROM attachment_messages am JOIN messages m ON m.id = am.message_id \
         WHERE am.attachment_id = a.id)))"
    };
}

/// Adds a file; returns its id.
pub fn insert(tx: &WriteTx<'_>, new: &NewAttachment<'_>) -> Result<AttachmentId, DbError> {
    tx.execute(
        statement!("INSERT INTO attachments (realm_id, owner_id, path_id, blob_key, name, content_type, size, \
         create_time, width, height, preview_key, moves, transcoded_key) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) RETURNING id"),
        &params![
            new.realm_id,
            new.owner_id,
            new.path_id,
            new.blob_key,
            new.name,
            new.content_type,
            new.size,
            new.create_time,
            new.preview.map(|preview| preview.width),
            new.preview.map(|preview| preview.height),
            new.preview.map(|preview| preview.key),
            new.preview.is_some_and(|preview| preview.moves),
            new.preview.and_then(|preview| preview.transcoded_key),
        ],
    )?
    .one_value()
}

/// Finds a file by its path.
pub fn by_path(
    db: &dyn Db,
    realm_id: RealmId,
    path_id: &str,
) -> Result<Option<AttachmentRow>, DbError> {
    db.query(
        sql!(
            attachment_columns!(),
            "WHERE path_id = ?2 AND realm_id = ?1"
        ),
        &params![realm_id, path_id],
    )?
    .first()
}

/// Finds a file by its id.
pub fn by_id(
    db: &dyn Db,
    realm_id: RealmId,
    id: AttachmentId,
) -> Result<Option<AttachmentRow>, DbError> {
    db.query(
        sql!(attachment_columns!(), "WHERE id = ?2 AND realm_id = ?1"),
        &params![realm_id, id],
    )?
    .first()
}

/// The record of one file as JSON.
///
/// # Errors
/// [`DbError`] when there is no such file or the statement fails.
pub fn record(db: &dyn Db, id: AttachmentId) -> Result<String, DbError> {
    db.query(
        sql!(
            "SELECT ",
            attachment_record!(),
            " FROM attachments a WHERE a.id = ?1"
        ),
        &params![id],
    )?
    .one_value()
}

row_struct! {
    /// The files of a user.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FileList {
        /// Their records as a JSON array, newest first.
        pub records: String,
        /// Bytes that all files of the organization take.
        pub space_used: i64,
    }
}

/// The files of a user.
pub fn list(db: &dyn Db, realm_id: RealmId, owner_id: UserId) -> Result<FileList, DbError> {
    db.query(
        sql!(
            "SELECT (SELECT coalesce(json_group_array(json(record)), '[]') FROM (SELECT ",
            attachment_record!(),
            " AS record FROM attachments a WHERE a.owner_id = ?2 ORDER BY a.id DESC) AS newest_first) \
             AS records, (SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM attachments WHERE realm_id = ?1) \
             AS space_used"
        ),
        &params![realm_id, owner_id],
    )?
    .one()
}

/// Bytes that all files of the organization take.
pub fn space_used(db: &dyn Db, realm_id: RealmId) -> Result<i64, DbError> {
    db.query(
        sql!(
            "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM attachments \
             WHERE realm_id = ?1"
        ),
        &params![realm_id],
    )?
    .one_value()
}

/// Removes a file with what names it; its blobs stay.
pub fn delete(tx: &WriteTx<'_>, id: AttachmentId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM attachment_messages WHERE attachment_id = ?1"),
        &params![id],
    )?;
    tx.execute(
        statement!("DELETE FROM attachments WHERE id = ?1"),
        &params![id],
    )?;
    Ok(())
}

/// The files among `path_ids` (a JSON list), by path.
pub fn by_paths(
    db: &dyn Db,
    realm_id: RealmId,
    path_ids: &str,
) -> Result<Vec<AttachmentRow>, DbError> {
    db.query(
        sql!(
            attachment_columns!(),
            "WHERE realm_id = ?1 AND path_id IN (SELECT value FROM json_texts(?2)) ORDER BY id"
        ),
        &params![realm_id, path_ids],
    )?
    .all()
}

/// Notes that a message names these files (a JSON list of ids); deleted files are skipped.
pub fn claim(tx: &WriteTx<'_>, message_id: MessageId, ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "INSERT INTO attachment_messages (attachment_id, message_id) \
         SELECT id, ?1 FROM attachments WHERE id IN (SELECT value FROM json_ids(?2)) \
         ON CONFLICT DO NOTHING"
        ),
        &params![message_id, ids],
    )?;
    Ok(())
}

/// The files that any of the messages in a JSON list of ids names, by id.
pub fn of_messages(db: &dyn Db, message_ids: &str) -> Result<Vec<AttachmentRow>, DbError> {
    db.query(
        sql!(
            attachment_columns!(),
            "WHERE id IN (SELECT attachment_id FROM attachment_messages \
             WHERE message_id IN (SELECT value FROM json_ids(?1))) ORDER BY id"
        ),
        &params![message_ids],
    )?
    .all()
}

/// Notes that a message no longer names these files (a JSON list of ids).
pub fn release(tx: &WriteTx<'_>, message_id: MessageId, ids: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "DELETE FROM attachment_messages WHERE message_id = ?1 \
         AND attachment_id IN (SELECT value FROM json_ids(?2))"
        ),
        &params![message_id, ids],
    )?;
    Ok(())
}

/// Where the messages that name a file are, and whether they reached the reader, if there is one.
pub fn namings(
    db: &dyn Db,
    id: AttachmentId,
    reader_id: Option<UserId>,
) -> Result<Vec<Naming>, DbError> {
    db.query(
        sql!(
            "SELECT m.channel_id, max(iif(um.user_id IS NOT NULL, 1, 0)) AS is_recipient FROM attachment_messages am \
             JOIN messages m ON m.id = am.message_id \
             LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = ?2 \
             WHERE am.attachment_id = ?1 GROUP BY m.channel_id"
        ),
        &params![id, reader_id],
    )?
    .all()
}

/// The files in a JSON list of ids that no message names any longer, nor a message that their owner has scheduled.
pub fn abandoned(db: &dyn Db, ids: &str) -> Result<Vec<AttachmentId>, DbError> {
    db.query(
        sql!(
            "SELECT a.id FROM attachments a WHERE a.id IN (SELECT value FROM json_ids(?1)) \
             AND NOT EXISTS (SELECT 1 FROM attachment_messages am WHERE am.attachment_id = a.id) \
             AND NOT EXISTS (SELECT 1 FROM scheduled_messages s \
                 WHERE s.user_id = a.owner_id AND s.content LIKE '%' || a.path_id || '%')"
        ),
        &params![ids],
    )?
    .values()
}

/// Files that no message names and that were uploaded before `before` (UNIX seconds).
pub fn unclaimed(db: &dyn Db, before: i64, limit: i64) -> Result<Vec<AttachmentRow>, DbError> {
    db.query(
        sql!(
            attachment_columns!(),
            "WHERE create_time < ?1 AND NOT EXISTS (SELECT 1 FROM attachment_messages am \
             WHERE am.attachment_id = attachments.id) ORDER BY create_time LIMIT ?2"
        ),
        &params![before, limit],
    )?
    .all()
}

#[cfg(test)]
mod tests;
