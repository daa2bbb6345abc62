//! GET /join and /join/{key}: the form that makes somebody an account.
//!
//! The page is the same whatever the key: its script asks what is behind it.

use bytes::Bytes;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::file;
use crate::template::fill_in;

const PAGE: &str = include_str!("../files/join.html");

/// For whoever has no invitation.
pub(crate) const WITHOUT_KEY: Operation =
    Operation::get("get-join-page", "/join", Guard::Anonymous, run).exempt();

/// For whoever has one.
pub(crate) const WITH_KEY: Operation =
    Operation::get("get-invitation-page", "/join/{key}", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let page = fill_in(PAGE, &call.external_url());
    Ok(file::send(call, file::HTML, Bytes::from(page)))
}
