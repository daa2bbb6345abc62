//! GET /static/images/loading/{file}: the placeholder for an image that is being generated; messages link to
//! it at this path.

use crate::document;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

/// Our own drawing: a ring with a turning gap.
const SPINNER: &[u8] = include_bytes!("../assets/loader-black.svg");

pub(crate) const OPERATION: Operation = Operation::get(
    "get-spinner",
    "/static/images/loading/{file}",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    match call.path_text("file")? {
        "loader-black.svg" => Ok(document::picture(SPINNER, "image/svg+xml")),
        _ => Err(ApiError::no_such_route().into()),
    }
}
