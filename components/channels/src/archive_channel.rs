//! DELETE /streams/{stream_id} (docs/protocol/channels.md#archive_channel).

use spindle_actions::channels::archive_channel;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::delete(
    "archive-channel",
    "/api/v1/streams/{stream_id}",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let stream_id = call.path_id("stream_id")?;
    archive_channel(call.db()?, call.actor()?, call.now(), stream_id)?;
    Ok(spindle_wire::Reply::empty().into())
}
