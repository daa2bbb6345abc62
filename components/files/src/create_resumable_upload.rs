//! POST /tus: creates a resumable upload. The request may contain the first bytes, or all.

use bytes::Bytes;
use http::StatusCode;
use spindle_actions::files::{NewUpload, begin_resumable_upload};
use spindle_domain::limits::MAX_FILE_UPLOAD_SIZE_MIB;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::{ApiError, upload_metadata};

use crate::{one_file, resumable};

pub(crate) const OPERATION: Operation =
    Operation::post("create-resumable-upload", "/api/v1/tus", Guard::User, run)
        .taking(one_file::body_limit(MAX_FILE_UPLOAD_SIZE_MIB))
        .with_headers(resumable::HEADERS)
        .needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    resumable::check_version(call)?;
    let size = resumable::bytes_in(call, "upload-length")?;
    let size = size.ok_or_else(ApiError::upload_length_required)?;
    let metadata = call.header("upload-metadata").unwrap_or_default();
    let pairs = upload_metadata::read(metadata)?;
    let named = |name| upload_metadata::value(&pairs, name);
    let content = match resumable::brings_a_part(call) {
        true => call.body().clone(),
        false => Bytes::new(),
    };
    if content.len() as u64 > size {
        return Err(ApiError::beyond_upload_length().into());
    }
    let new = NewUpload {
        file_name: named("filename").unwrap_or_default(),
        content_type: named("filetype"),
        metadata,
        size,
    };
    let upload = begin_resumable_upload(call.db()?, call.actor()?, call.now(), new);
    let upload = upload.map_err(resumable::refusal)?;
    let location = format!("{}/api/v1/tus/{}", call.external_url(), upload.id);
    if content.is_empty() && size > 0 {
        return resumable::unfinished(StatusCode::CREATED, &upload, 0, Some(&location));
    }
    resumable::append(upload, 0, content, Some(location))
}
