//! GET /user_uploads/thumbnail/...: a thumbnail of an uploaded image, for users with access to the image.
//! The last segment is the format name from messages and `server_thumbnail_formats`.

use crate::{get_file, serving};
use spindle_actions::files::thumbnail_key;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-file-thumbnail",
    "/user_uploads/thumbnail/{*path}",
    Guard::OptionalAuth,
    run,
)
.exempt()
.shown_in_pages();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let missing = || ApiError::not_found_object("There is no such preview");
    let path = call.path_text("path")?;
    let (path_id, size) = path.rsplit_once('/').ok_or_else(missing)?;
    let file = get_file::file(call, path_id)?;
    let key = thumbnail_key(&file, size).ok_or_else(missing)?;
    Ok(serving::preview(key))
}
