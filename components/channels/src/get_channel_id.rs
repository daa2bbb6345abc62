//! GET /get_stream_id (docs/protocol/channels.md#get_channel_id).

use spindle_actions::channels::get_channel_id;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation =
    Operation::get("get-channel-id", "/api/v1/get_stream_id", Guard::User, run);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let name = call.params.required_text("stream")?;
    let id = get_channel_id(call.db()?, call.actor()?, name)?;
    let reply = spindle_wire::Reply::empty().field("stream_id", &id)?;
    Ok(reply.into())
}
