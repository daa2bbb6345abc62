//! Puts the channel folders in another order
//! (docs/protocol/channel-folders.md#reorder_channel_folders).

use serde_json::json;
use spindle_domain::ChannelFolderId;
use spindle_events::{Audience, kinds};
use spindle_store::{Connection, audit, channel_folders};

use crate::{ActionError, Actor, change};

/// Gives each folder the position of its id in `order`. Unknown ids and repeated ones are
/// tolerated; of a repeated one the last position counts.
///
/// # Errors
/// [`ActionError::BadRequest`] when a folder, archived ones included, is missing in `order`.
pub fn reorder_channel_folders(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    order: &[ChannelFolderId],
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    change::emitting(db, realm_id, now, |tx| {
        let existing = channel_folders::ids(tx, realm_id)?;
        if let Some(missing) = existing.iter().find(|id| !order.contains(id)) {
            return Err(ActionError::BadRequest(format!(
                "The order has to name every channel folder; {missing} is missing"
            )));
        }
        channel_folders::reorder(tx, realm_id, &json!(order).to_string())?;
        let acting = Some(actor.user_id);
        audit::append(
            tx,
            realm_id,
            now,
            acting,
            None,
            "channel_folders_reordered",
            &json!({"order": order}).to_string(),
        )?;
        let event = kinds::channel_folder_reorder(order, Audience::realm());
        Ok(change::made((), event))
    })
}
