//! GET /server_figures: the server's metrics, for owners.
//!
//! The host has the metrics: the component checks that the caller is an owner and hands the request off.

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
