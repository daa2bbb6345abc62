//! Common parts of the operations for resumable uploads (tus protocol 1.0.0).
//!
//! Owns the protocol's headers and the completion of an upload. The blob service knows the number of
//! bytes; actions decide about ownership and limits.

use bytes::Bytes;
use http::header::{HeaderName, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use spindle_actions::ActionError;
use spindle_actions::files::{FilePreview, ResumableUpload, Uploaded, finish_resumable_upload};
use spindle_domain::errors::ClientError;
use spindle_domain::limits::MAX_FILE_UPLOAD_SIZE_MIB;
use spindle_domain::media_type;
use spindle_guest::{
    BlobWork, Call, Failure, PartContinuation, PartOutcome, PartStep, PartWork, Reply,
};
use spindle_wire::{ApiError, Response};
use std::time::{Duration, UNIX_EPOCH};

use crate::picture;

const VERSION: &str = "1.0.0";
/// The protocol version in every answer.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    ("tus-resumable", VERSION),
    ("tus-version", VERSION),
    (
        "tus-extension",
        "creation,creation-with-upload,expiration,termination",
    ),
];
/// The media type of a body that appends to an upload.
pub(crate) const PART: &str = "application/offset+octet-stream";
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const EXPIRES: HeaderName = HeaderName::from_static("upload-expires");
/// Larger files get no preview and are not decoded.
const LARGEST_PICTURE: u64 = (MAX_FILE_UPLOAD_SIZE_MIB as u64) << 20;

/// Refuses clients of another version.
///
/// # Errors
/// 412.
pub(crate) fn check_version(call: &Call<'_>) -> Result<(), ApiError> {
    match call.header("tus-resumable") {
        Some(VERSION) => Ok(()),
        _ => Err(ApiError::other_tus_version(VERSION)),
    }
}

/// A number of bytes in a header; `None` without the header.
///
/// # Errors
/// 400 when it is no number.
pub(crate) fn bytes_in(call: &Call<'_>, name: &str) -> Result<Option<u64>, ApiError> {
    let Some(text) = call.header(name) else {
        return Ok(None);
    };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_number);
    let wrong = || ApiError::bad_request(format!("The header {name} must be a number of bytes"));
    number.ok_or_else(wrong).map(Some)
}

/// Whether the body appends to an upload.
pub(crate) fn brings_a_part(call: &Call<'_>) -> bool {
    call.header("content-type") == Some(PART)
}

/// Appends `content` at `offset`. `location` is the URL of an upload that this request creates.
///
/// # Errors
/// 409 when the upload is a file already; 413 for more bytes than were announced.
pub(crate) fn append(
    upload: ResumableUpload,
    offset: u64,
    content: Bytes,
    location: Option<String>,
) -> Result<Reply, Failure> {
    if let Some(uploaded) = &upload.uploaded {
        // The client may not have received the last answer.
        if offset == upload.size && content.is_empty() {
            return finished(&upload, uploaded, location.as_deref());
        }
        return Err(ApiError::other_upload_offset(upload.size).into());
    }
    if offset.saturating_add(content.len() as u64) > upload.size {
        return Err(ApiError::beyond_upload_length().into());
    }
    let key = upload.blob_key().to_owned();
    let then: PartContinuation = Box::new(move |_, _, outcome| match outcome {
        PartOutcome::Length(length) if length == upload.size => Ok(join(upload, location)),
        PartOutcome::Length(length) => {
            let status = match location {
                Some(_) => StatusCode::CREATED,
                None => StatusCode::NO_CONTENT,
            };
            unfinished(status, &upload, length, location.as_deref())
        }
        PartOutcome::Elsewhere(length) => Err(ApiError::other_upload_offset(length).into()),
        other => Err(unexpected(&other)),
    });
    let step = PartStep::Append { offset, content };
    Ok(Reply::PartWork(PartWork { key, step, then }))
}

/// The answer to a request after which the upload continues at `offset`.
///
/// # Errors
/// 500 when an address cannot be written into a header.
pub(crate) fn unfinished(
    status: StatusCode,
    upload: &ResumableUpload,
    offset: u64,
    location: Option<&str>,
) -> Result<Reply, Failure> {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = status;
    describe(answer.headers_mut(), upload, offset, location)?;
    Ok(Reply::Whole(answer))
}

/// The answer with the offset of an upload.
///
/// # Errors
/// 500 when it cannot be written as JSON.
pub(crate) fn progress(upload: &ResumableUpload, offset: u64) -> Result<Reply, Failure> {
    let reply = spindle_wire::Reply::empty()
        .field("upload_offset", &offset)?
        .field("upload_length", &upload.size)?;
    let mut answer = reply.into_response(&[]);
    let headers = answer.headers_mut();
    describe(headers, upload, offset, None)?;
    headers.insert(LENGTH, HeaderValue::from(upload.size));
    if !upload.metadata.is_empty() {
        headers.insert(METADATA, text(&upload.metadata)?);
    }
    Ok(Reply::Whole(answer))
}

/// Completes the upload: its bytes become a blob.
fn join(upload: ResumableUpload, location: Option<String>) -> Reply {
    let kind = content_type(&upload, None);
    let step = PartStep::Join {
        content_type: kind.clone(),
    };
    let key = upload.blob_key().to_owned();
    let then: PartContinuation = Box::new(move |db, now, outcome| match outcome {
        PartOutcome::Length(_) if upload.size <= LARGEST_PICTURE => Ok(look(upload, location)),
        PartOutcome::Length(_) => {
            let uploaded = finish_resumable_upload(db, now, &upload, &kind, None);
            finished(&upload, &uploaded.map_err(refusal)?, location.as_deref())
        }
        other => Err(unexpected(&other)),
    });
    Reply::PartWork(PartWork { key, step, then })
}

/// Reads the file and, if it is an image, stores its preview.
fn look(upload: ResumableUpload, location: Option<String>) -> Reply {
    let key = upload.blob_key().to_owned();
    let then: PartContinuation = Box::new(move |db, now, outcome| {
        let PartOutcome::Content(content) = outcome else {
            return Err(unexpected(&outcome));
        };
        let Ok(preview) = spindle_images::preview(&content) else {
            let kind = content_type(&upload, None);
            let uploaded = finish_resumable_upload(db, now, &upload, &kind, None);
            return finished(&upload, &uploaded.map_err(refusal)?, location.as_deref());
        };
        drop(content);
        let kind = content_type(&upload, Some(preview.media_type));
        let facts = FilePreview {
            width: preview.width,
            height: preview.height,
            moves: preview.moves,
            is_transcoded: preview.transcoded.is_some(),
        };
        let mut put = vec![picture::blob(upload.preview_key(), preview.picture)];
        let transcoded = preview.transcoded;
        put.extend(transcoded.map(|copy| picture::blob(upload.transcoded_key(), copy)));
        Ok(Reply::BlobWork(BlobWork {
            put,
            delete: Vec::new(),
            then: Box::new(move |db, now| {
                let uploaded = finish_resumable_upload(db, now, &upload, &kind, Some(facts));
                finished(&upload, &uploaded.map_err(refusal)?, location.as_deref())
            }),
        }))
    });
    Reply::PartWork(PartWork {
        key,
        step: PartStep::Read,
        then,
    })
}

/// The media type of the file; `found` is the type of an image.
fn content_type(upload: &ResumableUpload, found: Option<&str>) -> String {
    let sent = upload.content_type.as_deref();
    media_type::of_upload(found, sent, upload.name())
}

/// The answer to the request with the last byte.
fn finished(
    upload: &ResumableUpload,
    uploaded: &Uploaded,
    location: Option<&str>,
) -> Result<Reply, Failure> {
    let reply = spindle_wire::Reply::empty()
        .field("url", &uploaded.url)?
        .field("filename", &uploaded.filename)?;
    let mut answer = reply.into_response(&[]);
    describe(answer.headers_mut(), upload, upload.size, location)?;
    Ok(Reply::Whole(answer))
}

fn describe(
    headers: &mut HeaderMap,
    upload: &ResumableUpload,
    offset: u64,
    location: Option<&str>,
) -> Result<(), Failure> {
    headers.insert(OFFSET, HeaderValue::from(offset));
    if upload.uploaded.is_none() && offset < upload.size {
        let expires = Duration::from_secs(upload.expires.unsigned_abs());
        let expires = httpdate::fmt_http_date(UNIX_EPOCH + expires);
        headers.insert(EXPIRES, text(&expires)?);
    }
    if let Some(location) = location {
        headers.insert(LOCATION, text(location)?);
    }
    Ok(())
}

fn text(text: &str) -> Result<HeaderValue, Failure> {
    HeaderValue::from_str(text).map_err(|error| Failure::internal(error.to_string()))
}

/// Clients of this protocol retry after 400, which is useless when the quota is exceeded.
pub(crate) fn refusal(error: ActionError) -> Failure {
    match error {
        ActionError::Client(ClientError::RealmUploadQuota) => {
            ApiError::realm_upload_quota_of_parts().into()
        }
        other => other.into(),
    }
}

/// An outcome that cannot be handled.
fn unexpected(outcome: &PartOutcome) -> Failure {
    match outcome {
        PartOutcome::Busy => ApiError::upload_is_busy().into(),
        // It was cancelled in between.
        PartOutcome::Missing => ApiError::not_found_object("You have no such upload").into(),
        _ => Failure::internal("the blob service answers something else"),
    }
}
