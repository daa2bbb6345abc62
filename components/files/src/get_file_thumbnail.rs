//! GET /user_uploads/thumbnail/...: the preview of an uploaded image, for those who may have
//! the image. There is one size; the last segment is what messages name it by.

use crate::{get_file, serving};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-file-thumbnail",
    "/user_uploads/thumbnail/{realm_id}/{random}/{file_name}/{size}",
    Guard::OptionalAuth,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let file = get_file::file(call)?;
    match file.preview_key {
        Some(key) if call.path_text("size")? == "840x560.webp" => Ok(serving::preview(&key)),
        _ => Err(ApiError::not_found_object("There is no such preview").into()),
    }
}
