//! Uploads that arrive in parts (the tus protocol): begun, found again by their owner alone, given
//! up, finished.
//!
//! The bytes lie in the blob store, which alone says how many have arrived. An upload counts for
//! every quota with its whole size from its beginning. Its blobs are announced for as long as it
//! lives: nothing is left of one that is given up.

use serde_json::json;
use spindle_domain::UserId;
use spindle_domain::limits::RESUMABLE_UPLOAD_SECS;
use spindle_domain::limits::quotas::Quota;
use spindle_store::resumable_uploads::{self, NewResumableUpload};
use spindle_store::{Connection, Db, Freeing, Outcome, SilentReason, blob_deletions};

use super::blobs::GRACE;
use super::upload::{FileUpload, attach, check_quota, check_share, upload_space};
use super::{FilePreview, Uploaded, name, take};
use crate::account::secrets;
use crate::{ActionError, Actor, change, quota};

/// Longest media type that is kept.
const LONGEST_TYPE: usize = 255;

/// An upload in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumableUpload {
    /// Random; in its address.
    pub id: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// Media type, as sent.
    pub content_type: Option<String>,
    /// What else its owner has sent of it, in the form of the protocol.
    pub metadata: String,
    /// When it is given up, UNIX seconds.
    pub expires: i64,
    /// The answer to the uploader, once it has become a file.
    pub uploaded: Option<Uploaded>,
    owner_id: UserId,
    file: FileUpload,
}

impl ResumableUpload {
    /// Where its bytes are collected.
    #[must_use]
    pub fn blob_key(&self) -> &str {
        &self.file.blob_key
    }

    /// Where its preview is to be stored, if it has one.
    #[must_use]
    pub fn preview_key(&self) -> &str {
        &self.file.preview_key
    }

    /// Where a copy that browsers show is to be stored, if they do not show the original.
    #[must_use]
    pub fn transcoded_key(&self) -> &str {
        &self.file.transcoded_key
    }

    /// As shown to people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.file.name
    }
}

/// The declared properties of an upload that begins.
#[derive(Debug, Clone, Copy)]
pub struct NewUpload<'a> {
    /// As the client calls the file.
    pub file_name: &'a str,
    /// Media type, if one was sent.
    pub content_type: Option<&'a str>,
    /// All of it in the form of the protocol, for the client itself.
    pub metadata: &'a str,
    /// Bytes of the whole file.
    pub size: u64,
}

/// Begins an upload at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::FileTooLarge`]; `ClientError::RealmUploadQuota`; [`ActionError::BadRequest`] when the
/// account has begun too many.
pub fn begin_resumable_upload(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    upload: NewUpload<'_>,
) -> Result<ResumableUpload, ActionError> {
    let bytes = i64::try_from(upload.size).unwrap_or(i64::MAX);
    let (realm_id, owner_id) = (actor.realm_id, actor.user_id);
    let content_type = upload.content_type;
    let content_type = content_type.filter(|kind| kind.len() <= LONGEST_TYPE);
    let id = secrets::new_name()?;
    let file = FileUpload::new(actor, &id, name::shown(upload.file_name), bytes);
    let expires = now + RESUMABLE_UPLOAD_SECS;
    change::silently(db, SilentReason::Files, |tx| {
        let space = upload_space(tx, realm_id)?;
        let most = space.largest_mib << 20;
        if bytes > most {
            return Err(ActionError::FileTooLarge(most));
        }
        check_quota(space, bytes)?;
        check_share(tx, actor, space, bytes)?;
        let new = NewResumableUpload {
            id: &id,
            realm_id,
            owner_id,
            name: &file.name,
            content_type,
            metadata: upload.metadata,
            size: bytes,
            expires,
        };
        resumable_uploads::insert(tx, &new)?;
        quota::check(tx, Quota::ResumableUploads, owner_id)?;
        quota::check(tx, Quota::ResumableBytes, owner_id)?;
        // Later than the upload itself, so that no request is still busy with it.
        let due = expires + GRACE;
        blob_deletions::add(tx, &json!(file.keys()).to_string(), due)?;
        Ok(())
    })?;
    Ok(ResumableUpload {
        id,
        size: upload.size,
        content_type: content_type.map(str::to_owned),
        metadata: upload.metadata.to_owned(),
        expires,
        uploaded: None,
        owner_id,
        file,
    })
}

/// Finds an upload of the caller's own at `now` (UNIX seconds).
///
/// # Errors
/// [`ActionError::NotFound`] whether there is none, it has expired or belongs to another user.
pub fn find_resumable_upload(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    id: &str,
) -> Result<ResumableUpload, ActionError> {
    let owner_id = actor.user_id;
    let row = resumable_uploads::find(db, owner_id, id, now)?.ok_or_else(gone)?;
    let file = FileUpload::new(actor, id, row.name, row.size);
    Ok(ResumableUpload {
        id: id.to_owned(),
        size: u64::try_from(row.size).unwrap_or_default(),
        content_type: row.content_type,
        metadata: row.metadata,
        expires: row.expires,
        uploaded: row.is_finished.then(|| file.uploaded()),
        owner_id,
        file,
    })
}

/// Makes an upload whose bytes are all there a file, at `now` (UNIX seconds). A second call
/// changes nothing and returns the same.
///
/// # Errors
/// [`ActionError::NotFound`] when it was given up in between; `ClientError::RealmUploadQuota` when the quota was
/// lowered since it began.
pub fn finish_resumable_upload(
    db: &dyn Connection,
    now: i64,
    upload: &ResumableUpload,
    content_type: &str,
    preview: Option<FilePreview>,
) -> Result<Uploaded, ActionError> {
    let realm_id = upload.file.realm_id;
    change::if_needed(db, realm_id, now, |tx| {
        let row =
            resumable_uploads::find(tx, upload.owner_id, &upload.id, now)?.ok_or_else(gone)?;
        if row.is_finished {
            return Ok(Outcome::Unchanged(upload.file.uploaded()));
        }
        // From here on the file counts in place of what was expected.
        resumable_uploads::finish(tx, &upload.id)?;
        let event = attach(tx, now, &upload.file, content_type, preview)?;
        Ok(change::outcome(upload.file.uploaded(), [event]))
    })
}

/// Gives up an upload of the caller's own. Returns the keys of its blobs, which the caller of this function deletes; a
/// file that it has become stays.
///
/// # Errors
/// As [`find_resumable_upload`].
pub fn cancel_resumable_upload(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    id: &str,
) -> Result<Vec<String>, ActionError> {
    let db = &Freeing(db);
    change::silently(db, SilentReason::Files, |tx| {
        let upload = find_resumable_upload(tx, actor, now, id)?;
        resumable_uploads::delete(tx, id)?;
        let mut keys = Vec::new();
        if upload.uploaded.is_none() {
            keys.extend(upload.file.keys().map(str::to_owned));
            // The caller deletes them; what a request that is under way adds goes later.
            take(tx, &upload.file.keys())?;
            blob_deletions::add(tx, &json!(keys).to_string(), now + GRACE)?;
        }
        Ok(keys)
    })
}

fn gone() -> ActionError {
    ActionError::NotFound("You have no such upload".to_owned())
}
