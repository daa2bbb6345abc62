//! PATCH /tus/{upload}: appends bytes to an upload; the last ones complete the file.

use spindle_actions::files::find_resumable_upload;
use spindle_domain::limits::MAX_FILE_UPLOAD_SIZE_MIB;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};
use spindle_wire::ApiError;

use crate::{one_file, resumable};

pub(crate) const OPERATION: Operation =
    Operation::patch("append-to-upload", "/api/v1/tus/{upload}", Guard::User, run)
        .taking(one_file::body_limit(MAX_FILE_UPLOAD_SIZE_MIB))
        .with_headers(resumable::HEADERS)
        .needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    resumable::check_version(call)?;
    if !resumable::brings_a_part(call) {
        return Err(ApiError::not_an_upload_part(resumable::PART).into());
    }
    let offset = resumable::bytes_in(call, "upload-offset")?;
    let offset = offset.ok_or_else(|| {
        ApiError::bad_request("The header Upload-Offset must say where the part begins")
    })?;
    let id = call.path_text("upload")?;
    let upload = find_resumable_upload(call.db()?, call.actor()?, call.now(), id)?;
    resumable::append(upload, offset, call.body().clone(), None)
}
