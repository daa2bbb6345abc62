//! Subscribes to channels and unsubscribes from others in one request.

use spindle_store::Connection;

use crate::channels::add_subscriptions::{
    AddSubscriptionsInput, AddedSubscriptions, ChannelRequest, Requested, add_in,
};
use crate::channels::remove_subscriptions::{RemovedSubscriptions, remove_in};
use crate::{ActionError, Actor, change};

/// Does both for the caller at `now` (UNIX seconds), first `add` and then `delete` (names), or
/// neither. See docs/protocol/subscriptions.md#change_subscriptions.
///
/// # Errors
/// [`ActionError::BadRequest`] when both are empty; then as `add_subscriptions` and
/// `remove_subscriptions`, those of the first before those of the second.
pub fn change_subscriptions(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    add: Vec<ChannelRequest>,
    delete: &[String],
    realm_url: String,
) -> Result<(AddedSubscriptions, RemovedSubscriptions), ActionError> {
    if add.is_empty() && delete.is_empty() {
        return Err(ActionError::bad_request(
            "Nothing to do: add or delete has to name a channel",
        ));
    }
    let mut input = AddSubscriptionsInput {
        subscriptions: add,
        authorization_errors_fatal: true,
        ..AddSubscriptionsInput::default()
    };
    input.properties.realm_url = realm_url;
    let requested = Requested::new(db, actor, &input)?;
    requested.check_new_names(db, actor, now)?;
    change::if_needed(db, actor.realm_id, now, |tx| {
        let own = [actor.user_id];
        let (added, mut events) = add_in(tx, actor, now, &own, &requested)?;
        let (removed, more) = remove_in(tx, actor, now, &own, delete)?;
        events.extend(more);
        Ok(change::outcome((added, removed), events))
    })
}
