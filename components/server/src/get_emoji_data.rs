//! GET /static/emoji/{file}: the table of emoji names behind `server_emoji_data_url`.
//!
//! The file's name contains a digest of its content, so that it can be cached forever.

use crate::document;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-emoji-data",
    "/static/emoji/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let file = call.path_text("file")?;
    let digest = file
        .strip_prefix("emoji_api.")
        .and_then(|rest| rest.strip_suffix(".json"));
    if digest != Some(spindle_emoji::content_hash()) {
        return Err(ApiError::no_such_route().into());
    }
    Ok(document::json(
        spindle_emoji::code_to_names_json(),
        "public, max-age=31536000, immutable",
    ))
}
