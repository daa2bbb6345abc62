//! PATCH /channel_folders/{channel_folder_id}
//! (docs/protocol/channel-folders.md#update_channel_folder).

use spindle_actions::channels::{ChannelFolderChange, update_channel_folder};
use spindle_domain::limits::{
    MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH, MAX_CHANNEL_FOLDER_NAME_LENGTH,
};
use spindle_guest::{Call, Failure, Guard, Operation, Reply};

use crate::text::optional_bounded;

pub(crate) const OPERATION: Operation = Operation::patch(
    "update-channel-folder",
    "/api/v1/channel_folders/{channel_folder_id}",
    Guard::Administrator,
    run,
);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let folder_id = call.path_id("channel_folder_id")?;
    let params = &call.params;
    let change = ChannelFolderChange {
        description: optional_bounded(
            params,
            "description",
            MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
        )?,
        is_archived: params.optional("is_archived")?,
        name: optional_bounded(params, "name", MAX_CHANNEL_FOLDER_NAME_LENGTH)?,
        realm_url: call.site().to_owned(),
    };
    update_channel_folder(call.db()?, call.actor()?, call.now(), folder_id, &change)?;
    Ok(spindle_wire::Reply::empty().into())
}
