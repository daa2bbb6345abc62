//! Lists the channel folders (docs/protocol/channel-folders.md#get_channel_folders).

use spindle_store::{Db, channel_folders};

use crate::{ActionError, Actor};

/// The folder records as a JSON list by `order`; archived ones only when asked for.
pub fn list_channel_folders(
    db: &dyn Db,
    actor: &Actor,
    include_archived: bool,
) -> Result<String, ActionError> {
    let realm_id = actor.realm_id;
    Ok(channel_folders::records(
        db,
        realm_id,
        include_archived,
        false,
    )?)
}
