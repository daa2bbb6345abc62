//! GET /connect: how to connect other clients to this server.
//!
//! The page works without scripts: the server's address and version are inserted here. The rest is the same
//! on every server.

use bytes::Bytes;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::file;
use crate::template::fill_in;

const PAGE: &str = include_str!("../files/connect.html");

pub(crate) const OPERATION: Operation =
    Operation::get("get-connect-page", "/connect", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let page = fill_in(PAGE, &call.external_url());
    Ok(file::send(call, file::HTML, Bytes::from(page)))
}
