//! GET /: the web client.
//!
//! The page contains no data of this server, only the URLs of the client's files.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::{client, file};

pub(crate) const OPERATION: Operation =
    Operation::get("get-page", "/", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    Ok(file::send_client(call, client::IMPORTS, client::INDEX))
}
