//! Who is subscribed to a channel.

use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::may_see_subscribers;
use spindle_domain::{ChannelId, UserId};
use spindle_store::{Connection, ReadTx, subscriptions};

use crate::access::access_channel::{access_channel, facts};
use crate::{ActionError, Actor};

/// Ids of the active subscribers of a channel, ascending; nothing when the caller may not know them
/// (docs/protocol/subscriptions.md#get_subscribers).
///
/// # Errors
/// `ClientError::StreamDoesNotExist` for a channel that does not exist or is hidden.
pub fn list_subscribers(
    db: &dyn Connection,
    actor: &Actor,
    channel_id: ChannelId,
) -> Result<Vec<UserId>, ActionError> {
    let tx = ReadTx::begin(db)?;
    let row = access_channel(&tx, actor, &ChannelReference::Id(channel_id), "")?;
    if !may_see_subscribers(actor.role, &facts(&row, actor.role)).is_allowed() {
        return Ok(Vec::new());
    }
    let peers = subscriptions::peers(&tx, row.id)?;
    Ok(peers.map(|peers| peers.subscribers.0).unwrap_or_default())
}
