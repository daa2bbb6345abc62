//! GET /static/generated/emoji/images/emoji/unicode/{file}: the image of the one extra emoji, which messages
//! link to at this path.

use crate::document;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

/// Our own drawing: a spindle with its thread.
const PICTURE: &[u8] = include_bytes!("../assets/zulip.png");

pub(crate) const OPERATION: Operation = Operation::get(
    "get-extra-emoji",
    "/static/generated/emoji/images/emoji/unicode/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    match call.path_text("file")? {
        "zulip.png" => Ok(document::picture(PICTURE, "image/png")),
        _ => Err(ApiError::no_such_route().into()),
    }
}
