//! The event for users who begin to see a channel without being subscribed to it.
//!
//! Kept in one module because clients count: the channel object holds the number of subscribers, and
//! the list of them for clients that asked for it. No `peer_add` follows, which would count them twice
//! (docs/protocol/channels.md#channel-object, docs/protocol/events.md#subscription,
//! `subscriber_count`).

use serde_json::json;
use spindle_domain::{ChannelId, RealmId, UserId};
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::subscriptions::{self, ChannelPeers};
use spindle_store::{Db, DbError, channels, id_list};

use crate::ActionError;
use crate::record::parse_record;

/// `stream` `create` for `users`, of the channel as it is now.
///
/// # Errors
/// [`ActionError::Store`], also when there is no such channel.
pub(crate) fn channel_appears(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
    users: impl IntoIterator<Item = UserId>,
) -> Result<Event, ActionError> {
    let peers = subscriptions::peers(db, channel_id)?.ok_or(DbError::NoRow)?;
    let record = parse_record(&channel_object(db, realm_id, channel_id)?)?;
    let streams = vec![with_subscribers(record, &peers)];
    Ok(kinds::stream_create(streams, Audience::users(users)))
}

/// A channel object with the list of subscribers, as events carry it.
pub(crate) fn with_subscribers(mut channel: Record, peers: &ChannelPeers) -> Record {
    channel.insert("subscribers".to_owned(), json!(*peers.subscribers));
    channel
}

/// The channel object, as JSON.
///
/// # Errors
/// [`ActionError::Store`], also when there is no such channel.
pub(crate) fn channel_object(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
) -> Result<String, ActionError> {
    let objects = channels::objects_of(db, realm_id, &id_list([channel_id]))?;
    let first = objects.into_iter().next();
    Ok(first.map(|channel| channel.object).ok_or(DbError::NoRow)?)
}
