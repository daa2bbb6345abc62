//! Uploads a file (docs/protocol/files.md#upload_file), in two steps: the first finds its name and
//! checks the quota, the second writes the row, once the blobs are stored. An upload in parts
//! (`resumable`) becomes a file in the same way.

use spindle_domain::errors::ClientError;
use spindle_domain::limits::{MAX_FILE_UPLOAD_SIZE_MIB, SHARE_OF_A_PERSON};
use spindle_domain::{RealmId, UserId};
use spindle_events::{Event, kinds};
use spindle_store::attachments::{self, NewAttachment, NewPreview};
use spindle_store::resumable_uploads::{self, UploadSpace};
use spindle_store::{Connection, Db, DbError, WriteTx, audit};

use super::{announce_blobs, name, take};
use crate::account::secrets;
use crate::json_record::parse_record;
use crate::quota::TOGETHER;
use crate::{ActionError, Actor, change};

/// A file on its way: named and checked, without an owner yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUpload {
    user_id: UserId,
    pub(super) realm_id: RealmId,
    /// `<realm id>/<random>/<name>`.
    path_id: String,
    /// As shown to people.
    pub(super) name: String,
    /// Where its content is to be stored.
    pub blob_key: String,
    /// Where its preview is to be stored, if it has one.
    pub preview_key: String,
    /// Where a copy that browsers show is to be stored, if they do not show the original.
    pub transcoded_key: String,
    pub(super) size: i64,
}

impl FileUpload {
    /// A file of `size` bytes that is called `name`, as shown to people, and `random` elsewhere.
    pub(super) fn new(actor: &Actor, random: &str, name: String, size: i64) -> Self {
        let realm_id = actor.realm_id;
        Self {
            user_id: actor.user_id,
            realm_id,
            path_id: format!("{realm_id}/{random}/{}", name::in_address(&name)),
            name,
            blob_key: format!("uploads/{realm_id}/{random}"),
            preview_key: format!("uploads/{realm_id}/{random}.preview"),
            transcoded_key: format!("uploads/{realm_id}/{random}.transcoded"),
            size,
        }
    }

    /// Where anything of it may be stored.
    pub(super) fn keys(&self) -> [&str; 3] {
        [&self.blob_key, &self.preview_key, &self.transcoded_key]
    }

    /// The answer to the uploader.
    pub(super) fn uploaded(&self) -> Uploaded {
        Uploaded {
            url: format!("/user_uploads/{}", self.path_id),
            filename: self.name.clone(),
        }
    }
}

/// The preview that was stored for an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePreview {
    /// Width of the original in pixels.
    pub width: u32,
    /// Height of the original in pixels.
    pub height: u32,
    /// Whether messages show the original moving.
    pub moves: bool,
    /// Whether a copy was stored that browsers show.
    pub is_transcoded: bool,
}

/// The answer to the uploader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uploaded {
    /// Path of the file.
    pub url: String,
    /// Its name as shown to people.
    pub filename: String,
}

/// Checks a file of `size` bytes called `file_name`, and announces where it is to be stored.
///
/// # Errors
/// [`ActionError::BadRequest`] when it is too large, or the uploader's files are; [`ClientError::RealmUploadQuota`].
pub fn begin_upload(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    file_name: &str,
    size: usize,
) -> Result<FileUpload, ActionError> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if size > MAX_FILE_UPLOAD_SIZE_MIB << 20 {
        return Err(ActionError::BadRequest(format!(
            "A file can have {MAX_FILE_UPLOAD_SIZE_MIB} MiB at most"
        )));
    }
    let realm_id = actor.realm_id;
    let space = upload_space(db, realm_id)?;
    if size > space.largest_mib << 20 {
        return Err(ActionError::BadRequest(format!(
            "A file can have {} MiB at most",
            space.largest_mib
        )));
    }
    check_quota(space, size)?;
    check_share(db, actor, space, size)?;
    let upload = FileUpload::new(actor, &secrets::new_name()?, name::shown(file_name), size);
    announce_blobs(db, now, &upload.keys())?;
    Ok(upload)
}

/// Makes an upload whose blobs are stored the uploader's attachment.
///
/// # Errors
/// [`ClientError::RealmUploadQuota`] when other uploads have used up the quota since the first check.
pub fn finish_upload(
    db: &dyn Connection,
    now: i64,
    upload: FileUpload,
    content_type: &str,
    preview: Option<FilePreview>,
) -> Result<Uploaded, ActionError> {
    change::emitting(db, upload.realm_id, now, |tx| {
        let event = attach(tx, now, &upload, content_type, preview)?;
        Ok(change::made(upload.uploaded(), event))
    })
}

/// Adds the row of a file whose blobs are stored; the event is for its owner.
pub(super) fn attach(
    tx: &WriteTx<'_>,
    now: i64,
    upload: &FileUpload,
    content_type: &str,
    preview: Option<FilePreview>,
) -> Result<Event, ActionError> {
    check_quota(upload_space(tx, upload.realm_id)?, upload.size)?;
    let new = NewAttachment {
        realm_id: upload.realm_id,
        owner_id: upload.user_id,
        path_id: &upload.path_id,
        blob_key: &upload.blob_key,
        name: &upload.name,
        content_type,
        size: upload.size,
        create_time: now,
        preview: preview.map(|preview| NewPreview {
            key: &upload.preview_key,
            width: preview.width.into(),
            height: preview.height.into(),
            moves: preview.moves,
            transcoded_key: preview
                .is_transcoded
                .then_some(upload.transcoded_key.as_str()),
        }),
    };
    let id = attachments::insert(tx, &new)?;
    let mut keys = vec![upload.blob_key.as_str()];
    keys.extend(new.preview.map(|preview| preview.key));
    keys.extend(new.preview.and_then(|preview| preview.transcoded_key));
    take(tx, &keys)?;
    let user_id = upload.user_id;
    let data = serde_json::json!({"attachment_id": id, "size": upload.size}).to_string();
    let (realm_id, modified) = (upload.realm_id, Some(user_id));
    audit::append(
        tx,
        realm_id,
        now,
        modified,
        modified,
        "file_uploaded",
        &data,
    )?;
    let used = attachments::space_used(tx, realm_id)?;
    let record = parse_record(&attachments::record(tx, id)?)?;
    Ok(kinds::attachment_add(user_id, record, used))
}

/// How much room the organization has.
pub(super) fn upload_space(db: &dyn Db, realm_id: RealmId) -> Result<UploadSpace, ActionError> {
    resumable_uploads::upload_space(db, realm_id).map_err(|error| match error {
        DbError::NoRow => ActionError::Internal("there is no organization".to_owned()),
        other => other.into(),
    })
}

/// Checks the share of an uploader who is not an administrator: a quarter of the quota, not a twentieth, because the
/// quota itself may be small.
///
/// # Errors
/// [`ActionError::BadRequest`].
pub(super) fn check_share(
    db: &dyn Db,
    actor: &Actor,
    space: UploadSpace,
    size: i64,
) -> Result<(), ActionError> {
    let Some(mib) = space.quota_mib.filter(|_| !actor.role.is_admin()) else {
        return Ok(());
    };
    let share = mib.saturating_mul(1 << 20) / SHARE_OF_A_PERSON;
    let used = resumable_uploads::space_of_person(db, actor.user_id)?;
    if used.saturating_add(size) <= share {
        return Ok(());
    }
    Err(ActionError::BadRequest(format!(
        "The files of one person can have {share} bytes, a fourth of the organization's, {TOGETHER}"
    )))
}

/// Whether `size` bytes more fit; uploads that have begun count as if they were finished.
pub(super) fn check_quota(space: UploadSpace, size: i64) -> Result<(), ActionError> {
    let taken = space
        .used
        .saturating_add(space.expected)
        .saturating_add(size);
    let is_full = space
        .quota_mib
        .is_some_and(|mib| taken > mib.saturating_mul(1 << 20));
    if is_full {
        return Err(ClientError::RealmUploadQuota.into());
    }
    Ok(())
}
