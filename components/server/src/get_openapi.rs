//! GET /openapi.json: the description of this interface.

use crate::document;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-openapi", "/api/v1/openapi.json", Guard::Anonymous, run).exempt();

fn run(_: &Call<'_>) -> Result<Reply, Failure> {
    Ok(document::json(
        spindle_openapi::PUBLISHED,
        "public, max-age=300",
    ))
}
