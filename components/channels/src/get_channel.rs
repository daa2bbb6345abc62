//! GET /streams/{stream_id} (docs/protocol/channels.md#get_channel).

use spindle_actions::channels::get_channel;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-channel",
    "/api/v1/streams/{stream_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let stream_id = call.path_id("stream_id")?;
    let channel = get_channel(call.db()?, call.actor()?, stream_id)?;
    Ok(spindle_wire::Reply::raw_value("stream", channel).into())
}
