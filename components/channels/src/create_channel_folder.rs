//! POST /channel_folders/create (docs/protocol/channel-folders.md#create_channel_folder).

use spindle_actions::channels::{NewChannelFolder, create_channel_folder};
use spindle_domain::limits::{
    MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH, MAX_CHANNEL_FOLDER_NAME_LENGTH,
};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::text::required_bounded;

pub(crate) const OPERATION: Operation = Operation::post(
    "create-channel-folder",
    "/api/v1/channel_folders/create",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let params = &call.params;
    let description =
        required_bounded(params, "description", MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH)?;
    let name = required_bounded(params, "name", MAX_CHANNEL_FOLDER_NAME_LENGTH)?;
    let new = NewChannelFolder {
        name,
        description,
        realm_url: call.site().to_owned(),
    };
    let id = create_channel_folder(call.db()?, call.actor()?, call.now(), &new)?;
    let reply = spindle_wire::Reply::empty().field("channel_folder_id", &id)?;
    Ok(reply.into())
}
