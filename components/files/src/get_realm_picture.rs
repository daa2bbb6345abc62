//! GET /user_avatars/{realm_id}/realm/{file_name}: the organization's icon or logo.

use crate::{get_emoji_picture::media_type, serving};
use spindle_actions::organization::realm_picture_key;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-realm-picture",
    "/user_avatars/{realm_id}/realm/{file_name}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let realm_id = call.path_id("realm_id")?;
    let file_name = call.path_text("file_name")?;
    call.params.optional_text("version");
    let media_type = media_type(file_name)
        .ok_or_else(|| ApiError::not_found_object("There is no such picture"))?;
    let key = realm_picture_key(realm_id, file_name);
    Ok(serving::picture(key, media_type))
}
