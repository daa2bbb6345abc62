//! Finds one channel, by id or by name (docs/protocol/channels.md#get_channel,
//! docs/protocol/channels.md#get_channel_id).

use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
use spindle_store::Db;

use crate::access::access_channel::{access_channel, without_code};
use crate::access::channel_appears::channel_object;
use crate::{ActionError, Actor};

/// The channel object, as JSON; archived channels included.
///
/// # Errors
/// `ClientError::StreamDoesNotExist` whether it does not exist or is hidden.
pub fn get_channel(
    db: &dyn Db,
    actor: &Actor,
    channel_id: ChannelId,
) -> Result<String, ActionError> {
    let reference = ChannelReference::Id(channel_id);
    let row = access_channel(db, actor, &reference, "")?;
    channel_object(db, actor.realm_id, row.id)
}

/// The id of the channel of this name, whatever its case.
///
/// # Errors
/// [`ActionError::BadRequest`] whether it does not exist or is hidden.
pub fn get_channel_id(db: &dyn Db, actor: &Actor, name: &str) -> Result<ChannelId, ActionError> {
    let reference = ChannelReference::Name(name.to_owned());
    let row = access_channel(db, actor, &reference, "").map_err(without_code)?;
    Ok(row.id)
}
