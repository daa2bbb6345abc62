//! GET /user_uploads/thumbnail/...: a picture of an uploaded image, for those who may have the
//! image. The last segment is what messages and `server_thumbnail_formats` name it by.

use crate::{get_file, serving};
use spindle_actions::thumbnail_key;
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
    match thumbnail_key(&file, call.path_text("size")?) {
        Some(key) => Ok(serving::preview(key)),
        None => Err(ApiError::not_found_object("There is no such preview").into()),
    }
}
