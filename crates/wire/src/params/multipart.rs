//! Bodies of type `multipart/form-data`, by the crate `multer`.
//!
//! multer is asynchronous because it reads streams. Here the body is complete, so its
//! futures are always ready: a pending one can only mean a malformed body.

use super::{MAX_PARAMETERS, too_many};
use crate::ApiError;
use bytes::Bytes;
use futures::{FutureExt, stream};
use std::convert::Infallible;

/// A file that came in a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedFile {
    /// Name of the part; clients choose it freely.
    pub field_name: String,
    /// Name of the file as sent; never a path to be trusted.
    pub file_name: String,
    /// Media type as sent.
    pub content_type: Option<String>,
    pub content: Bytes,
}

#[derive(Debug)]
pub(super) enum Part {
    Value { name: String, value: String },
    File(UploadedFile),
}

/// Splits a complete body; `content_type` is the header with its boundary.
///
/// # Errors
/// 400 for a malformed body, a part without a name, a value that is not UTF-8, or more
/// than [`MAX_PARAMETERS`] parts.
pub(super) fn read(content_type: &str, body: Bytes) -> Result<Vec<Part>, ApiError> {
    let boundary = multer::parse_boundary(content_type).map_err(|_| malformed())?;
    let source = stream::once(async move { Ok::<_, Infallible>(body) });
    let mut multipart = multer::Multipart::new(source, boundary);
    let mut parts = Vec::new();
    while let Some(field) = ready(multipart.next_field())? {
        if parts.len() >= MAX_PARAMETERS {
            return Err(too_many());
        }
        parts.push(read_part(field)?);
    }
    Ok(parts)
}

fn read_part(field: multer::Field<'static>) -> Result<Part, ApiError> {
    let name = field.name().map(ToOwned::to_owned).ok_or_else(malformed)?;
    let file_name = field.file_name().map(ToOwned::to_owned);
    let content_type = field.content_type().map(ToString::to_string);
    let content = ready(field.bytes())?;
    let Some(file_name) = file_name else {
        let value = String::from_utf8(content.into())
            .map_err(|_| ApiError::bad_parameter(&name, "expected UTF-8 text"))?;
        return Ok(Part::Value { name, value });
    };
    Ok(Part::File(UploadedFile {
        field_name: name,
        file_name,
        content_type,
        content,
    }))
}

fn ready<T>(future: impl Future<Output = multer::Result<T>>) -> Result<T, ApiError> {
    future
        .now_or_never()
        .and_then(Result::ok)
        .ok_or_else(malformed)
}

fn malformed() -> ApiError {
    ApiError::bad_request("The multipart body is malformed")
}
