//! GET /: the web client.
//!
//! The page contains no data of this server, only the URLs of the client's files.

use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::{client, file};

pub(crate) const OPERATION: Operation =
    Operation::get("get-page", "/", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let pages = (client::INDEX.as_bytes(), client::PACKED_INDEX);
    Ok(file::send_client(call, client::IMPORTS, pages))
}
