//! Errors of uploads that arrive in parts. Their statuses follow the tus protocol 1.0.0, so that
//! its clients know what to do next; the code is always the envelope's.

use super::{ApiError, ClientError};
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};

const MAX_SIZE: HeaderName = HeaderName::from_static("tus-max-size");

impl ApiError {
    /// 413 BAD_REQUEST with `Tus-Max-Size`: the file is larger than the organization allows.
    pub fn file_too_large(most: i64) -> Self {
        Self::bad_request(format!("A file can have {most} bytes at most"))
            .with_status(StatusCode::PAYLOAD_TOO_LARGE)
            .with_header(MAX_SIZE, HeaderValue::from(most))
    }

    /// 413 BAD_REQUEST: there would be more bytes than were announced.
    pub fn beyond_upload_length() -> Self {
        Self::bad_request("This is more than the upload's length")
            .with_status(StatusCode::PAYLOAD_TOO_LARGE)
    }

    /// 413 REALM_UPLOAD_QUOTA, where clients try again after 400.
    pub fn realm_upload_quota_of_parts() -> Self {
        Self::from(ClientError::RealmUploadQuota).with_status(StatusCode::PAYLOAD_TOO_LARGE)
    }

    /// 412 BAD_REQUEST: the client speaks another version of the protocol.
    pub fn other_tus_version(version: &str) -> Self {
        Self::bad_request(format!("The header Tus-Resumable must be {version}"))
            .with_status(StatusCode::PRECONDITION_FAILED)
    }

    /// 411 BAD_REQUEST: the length of the upload must be known.
    pub fn upload_length_required() -> Self {
        Self::bad_request("The header Upload-Length must say how long the file is")
            .with_status(StatusCode::LENGTH_REQUIRED)
    }

    /// 415 BAD_REQUEST: the body is no part of an upload.
    pub fn not_an_upload_part(media_type: &str) -> Self {
        Self::bad_request(format!("The type of the body must be {media_type}"))
            .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    }

    /// 409 BAD_REQUEST: the part belongs elsewhere.
    pub fn other_upload_offset(offset: u64) -> Self {
        Self::bad_request(format!("The upload continues at byte {offset}"))
            .with_status(StatusCode::CONFLICT)
    }

    /// 423 BAD_REQUEST: another part of the same upload is being stored.
    pub fn upload_is_busy() -> Self {
        Self::bad_request("Another part of this upload is being stored")
            .with_status(StatusCode::LOCKED)
    }
}
