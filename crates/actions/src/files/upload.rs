//! Uploads a file (protocol-facts 5.8, POST /user_uploads), in two steps: what it will be
//! called and whether there is room, then, once its blobs are stored, the row.

use spindle_domain::UserId;
use spindle_domain::limits::MAX_FILE_UPLOAD_SIZE_MIB;
use spindle_events::kinds;
use spindle_store::attachments::{self, NewAttachment, NewPreview};
use spindle_store::{Db, DbError, WriteTx, audit};

use super::{announce_blobs, name, take};
use crate::account::secrets;
use crate::record::parse_record;
use crate::{ActionError, Actor, emit};

/// A file on its way: named, checked, not yet anybody's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUpload {
    user_id: UserId,
    realm_id: i64,
    /// `<realm id>/<random>/<name>`.
    path_id: String,
    /// As shown to people.
    name: String,
    /// Where its content is to be stored.
    pub blob_key: String,
    /// Where its preview is to be stored, if it has one.
    pub preview_key: String,
    /// Where a copy that browsers show is to be stored, if they do not show the original.
    pub transcoded_key: String,
    size: i64,
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

/// What the uploader is told.
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
/// [`ActionError::BadRequest`] when it is too large; [`ActionError::UploadQuota`].
pub fn begin_upload(
    db: &dyn Db,
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
    let realm_id = actor.realm_id.get();
    check_quota(db, realm_id, size)?;
    let name = name::shown(file_name);
    let random = secrets::new_name()?;
    let upload = FileUpload {
        user_id: actor.user_id,
        realm_id,
        path_id: format!("{realm_id}/{random}/{}", name::in_address(&name)),
        name,
        blob_key: format!("uploads/{realm_id}/{random}"),
        preview_key: format!("uploads/{realm_id}/{random}.preview"),
        transcoded_key: format!("uploads/{realm_id}/{random}.transcoded"),
        size,
    };
    let keys = [
        upload.blob_key.as_str(),
        upload.preview_key.as_str(),
        upload.transcoded_key.as_str(),
    ];
    announce_blobs(db, realm_id, now, &keys)?;
    Ok(upload)
}

/// Makes an upload whose blobs are stored the uploader's attachment.
///
/// # Errors
/// [`ActionError::UploadQuota`] when others have taken the room meanwhile.
pub fn finish_upload(
    db: &dyn Db,
    now: i64,
    upload: FileUpload,
    content_type: &str,
    preview: Option<FilePreview>,
) -> Result<Uploaded, ActionError> {
    let tx = WriteTx::begin(db)?;
    check_quota(&tx, upload.realm_id, upload.size)?;
    let new = NewAttachment {
        realm_id: upload.realm_id,
        owner_id: upload.user_id.get(),
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
    let id = attachments::insert(&tx, &new)?;
    let mut keys = vec![upload.blob_key.as_str()];
    keys.extend(new.preview.map(|preview| preview.key));
    keys.extend(new.preview.and_then(|preview| preview.transcoded_key));
    take(&tx, &keys)?;
    let user_id = upload.user_id.get();
    let data = serde_json::json!({"attachment_id": id, "size": upload.size}).to_string();
    let (realm_id, modified) = (upload.realm_id, Some(user_id));
    audit::append(
        &tx,
        realm_id,
        now,
        modified,
        modified,
        "file_uploaded",
        &data,
    )?;
    let (used, _) = attachments::space(&tx, realm_id)?;
    let record = parse_record(&attachments::record(&tx, id)?)?;
    let event = kinds::attachment_add(user_id, record, used);
    tx.commit(realm_id, now, emit::events([event]))?;
    Ok(Uploaded {
        url: format!("/user_uploads/{}", upload.path_id),
        filename: upload.name,
    })
}

fn check_quota(db: &dyn Db, realm_id: i64, size: i64) -> Result<(), ActionError> {
    let (used, quota) = attachments::space(db, realm_id).map_err(|error| match error {
        DbError::NoRow => ActionError::Internal("there is no organization".to_owned()),
        other => other.into(),
    })?;
    let is_full = quota.is_some_and(|mib| used.saturating_add(size) > mib.saturating_mul(1 << 20));
    if is_full {
        return Err(ActionError::UploadQuota);
    }
    Ok(())
}
