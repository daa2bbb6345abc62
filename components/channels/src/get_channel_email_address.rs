//! GET /streams/{stream_id}/email_address.
//!
//! This server receives no mail, so no channel has an address; clients understand the empty one so.

use spindle_actions::channels::get_channel;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-channel-email-address",
    "/api/v1/streams/{stream_id}/email_address",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let stream_id = call.path_id("stream_id")?;
    get_channel(call.db()?, call.actor()?, stream_id)?;
    Ok(spindle_wire::Reply::empty().field("email", "")?.into())
}
