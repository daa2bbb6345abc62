//! GET /join and /join/{key}: the form that creates an account.
//!
//! The page is the same for every key: its script requests the invitation.

use bytes::Bytes;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::file;
use crate::template::fill_in;

const PAGE: &str = include_str!("../files/join.html");

/// Without an invitation.
pub(crate) const WITHOUT_KEY: Operation =
    Operation::get("get-join-page", "/join", Guard::Anonymous, run).exempt();

/// With an invitation.
pub(crate) const WITH_KEY: Operation =
    Operation::get("get-invitation-page", "/join/{key}", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let page = fill_in(PAGE, &call.external_url());
    Ok(file::send(call, file::HTML, Bytes::from(page)))
}
