//! GET /connect: what this server is and how to connect other clients to it.
//!
//! The page is whole without a script: the address of the server and its version are put in
//! here. Everything else on it is the same everywhere.

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
