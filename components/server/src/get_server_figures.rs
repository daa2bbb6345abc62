//! GET /server_figures: what the server is doing, for owners.
//!
//! Components see one request each; the host counts, and answers once the caller is known to
//! be an owner.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-server-figures",
    "/api/v1/server_figures",
    Guard::Owner,
    run,
);

fn run(_: &Call<'_>) -> Result<Reply, Failure> {
    Ok(Reply::Figures)
}
