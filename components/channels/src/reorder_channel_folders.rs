//! PATCH /channel_folders (docs/protocol/channel-folders.md#reorder_channel_folders).

use spindle_actions::channels::reorder_channel_folders;
use spindle_domain::ChannelFolderId;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

pub(crate) const OPERATION: Operation = Operation::patch(
    "reorder-channel-folders",
    "/api/v1/channel_folders",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let order: Vec<ChannelFolderId> = call.params.required("order")?;
    reorder_channel_folders(call.db()?, call.actor()?, call.now(), &order)?;
    Ok(spindle_wire::Reply::empty().into())
}
