//! Whether a user is subscribed to a channel.

use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::may_see_subscribers;
use spindle_domain::{ChannelId, UserId};
use spindle_store::{Connection, ReadTx, id_list, subscriptions};

use crate::access::access_channel::{access_channel, facts};
use crate::access::access_user::access_user;
use crate::{ActionError, Actor};

/// Whether a user is subscribed to a channel
/// (docs/protocol/subscriptions.md#get_subscription_status).
///
/// # Errors
/// In this order: [`ActionError::Denied`] for a user who does not exist or is hidden;
/// `ClientError::StreamDoesNotExist` for a channel that does not exist or is hidden.
pub fn get_subscription_status(
    db: &dyn Connection,
    actor: &Actor,
    user_id: UserId,
    channel_id: ChannelId,
) -> Result<bool, ActionError> {
    let tx = ReadTx::begin(db)?;
    let user = access_user(&tx, actor, user_id)?;
    let row = access_channel(&tx, actor, &ChannelReference::Id(channel_id), "")?;
    let pairs = subscriptions::active_pairs(&tx, &id_list([user.id]), &id_list([row.id]))?;
    let may_know = may_see_subscribers(actor.role, &facts(&row, actor.role)).is_allowed();
    Ok(user.is_active && may_know && !pairs.is_empty())
}
