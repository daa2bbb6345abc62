//! DELETE /default_streams (docs/protocol/channels.md#remove_default_channel).

use spindle_actions::channels::set_default_channel;
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "remove-default-channel",
    "/api/v1/default_streams",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let stream_id: ChannelId = call.params.required("stream_id")?;
    set_default_channel(call.db()?, call.actor()?, call.now(), stream_id, false)?;
    Ok(spindle_wire::Reply::empty().into())
}
