//! GET /channel_folders (docs/protocol/channel-folders.md#get_channel_folders).

use spindle_actions::channels::list_channel_folders;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::get(
    "get-channel-folders",
    "/api/v1/channel_folders",
    Guard::User,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let archived = call.params.optional("include_archived")?.unwrap_or(false);
    let list = list_channel_folders(call.db()?, call.actor()?, archived)?;
    let reply = spindle_wire::Reply::raw_value("channel_folders", list);
    Ok(reply.into())
}
