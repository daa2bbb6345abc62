//! The channels that a user is subscribed to, as far as the caller may know.

use spindle_domain::UserId;
use spindle_store::{Connection, ReadTx, subscription_records};

use crate::access::access_user::access_user;
use crate::access::visible_channels::visible;
use crate::{ActionError, Actor};

/// Ids of the channels that a user is subscribed to and the caller may know of, as a JSON list
/// (docs/protocol/subscriptions.md#get_user_channels), archived ones included.
///
/// # Errors
/// [`ActionError::Denied`] for a user who does not exist or is hidden.
pub fn list_channels_of_user(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    user_id: UserId,
) -> Result<String, ActionError> {
    let tx = ReadTx::begin(db)?;
    let user = access_user(&tx, actor, user_id)?;
    let visible = visible(actor.realm_id, Some(actor), now, true);
    Ok(subscription_records::visible_channels_of(
        &tx, &visible, user.id,
    )?)
}
