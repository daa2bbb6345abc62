//! GET /api/: the reference of the API, made from the OpenAPI document by the build.
//!
//! The page is the same on every server, so it is compressed in advance; a script inserts the address.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::{client, file};

pub(crate) const OPERATION: Operation =
    Operation::get("get-api-reference", "/api", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let pages = (client::REFERENCE.as_bytes(), client::PACKED_REFERENCE);
    Ok(file::send_packed(call, pages))
}
