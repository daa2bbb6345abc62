//! What those are told who begin to see a channel without being subscribed to it.
//!
//! One place, because clients count: the channel object comes with no subscribers, and the
//! `peer_add` that follows brings all of them (protocol-facts 3.6).

use serde_json::json;
use spindle_events::{Audience, Event, kinds};
use spindle_store::{Db, DbError, subscriptions};

use crate::ActionError;
use crate::channels::get_channel::channel_object;
use crate::record::parse_record;

/// `stream` `create` and `subscription` `peer_add` for `users`, of the channel as it is now.
///
/// # Errors
/// [`ActionError::Store`], also when there is no such channel.
pub(crate) fn channel_appears(
    db: &dyn Db,
    realm_id: i64,
    channel_id: i64,
    users: impl IntoIterator<Item = i64>,
) -> Result<Vec<Event>, ActionError> {
    let audience = Audience::users(users);
    let mut record = parse_record(&channel_object(db, realm_id, channel_id)?)?;
    record.insert("subscriber_count".to_owned(), json!(0));
    let mut events = vec![kinds::stream_create(vec![record], audience.clone())];
    let peers = subscriptions::peers(db, channel_id)?.ok_or(DbError::NoRow)?;
    if !peers.subscribers.is_empty() {
        events.push(kinds::subscription_peer_add(
            &[channel_id],
            &peers.subscribers,
            audience,
        ));
    }
    Ok(events)
}
