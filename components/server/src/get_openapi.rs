//! GET /openapi.json: the description of this interface.

use crate::document;
use spindle_guest::{Call, Guard, Operation, Reply};
use spindle_wire::ApiError;

pub(crate) const OPERATION: Operation = Operation::get(
    "get-openapi",
    "/api/v1/openapi.json",
    Guard::Anonymous,
    run,
)
.exempt();

fn run(_: &Call<'_>) -> Result<Reply, ApiError> {
    Ok(document::json(spindle_openapi::DOCUMENT, "public, max-age=300"))
}
