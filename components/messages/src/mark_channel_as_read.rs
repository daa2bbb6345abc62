//! POST /mark_stream_as_read (docs/protocol/flags.md#mark_channel_as_read).

use spindle_actions::messages::mark_channel_as_read;
use spindle_domain::ChannelId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "mark-channel-as-read",
    "/api/v1/mark_stream_as_read",
    Guard::User,
    run,
)
.needing(Scope::Send);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let channel_id = ChannelId(call.params.required("stream_id")?);
    mark_channel_as_read(call.db()?, call.actor()?, call.now(), channel_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
