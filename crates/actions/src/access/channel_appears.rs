//! The events for users who begin to see a channel without being subscribed to it.
//!
//! The channel object holds the number of subscribers, the `peer_add` that follows it their ids
//! (docs/adr/0014-channels-that-appear.md, docs/protocol/subscriptions.md#appearing).

use std::collections::BTreeMap;

use spindle_domain::{ChannelId, RealmId, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::subscriptions::{self, ChannelSubscribers};
use spindle_store::{Db, DbError, channels, id_list};

use crate::ActionError;
use crate::json_record::parse_record;

/// `stream` `create` and `subscription` `peer_add` for `users`, of the channel as it is now.
///
/// # Errors
/// [`ActionError::Store`], also when there is no such channel.
pub(crate) fn channel_appears(
    db: &dyn Db,
    realm_id: RealmId,
    channel_id: ChannelId,
    users: impl IntoIterator<Item = UserId>,
) -> Result<Vec<Event>, ActionError> {
    let peers = subscriptions::subscriber_lists(db, &id_list([channel_id]))?;
    let record = parse_record(&channel_object(db, realm_id, channel_id)?)?;
    let audience = Audience::users(users);
    let mut events = vec![kinds::stream_create(vec![record], audience.clone())];
    events.extend(subscribers(&peers, &audience));
    Ok(events)
}

/// `peer_add` with all subscribers of channels that begin to be seen, one event for each set of subscribers.
pub(crate) fn subscribers(channels: &[ChannelSubscribers], audience: &Audience) -> Vec<Event> {
    let mut groups: BTreeMap<&[UserId], Vec<&ChannelSubscribers>> = BTreeMap::new();
    for channel in channels
        .iter()
        .filter(|channel| !channel.subscribers.is_empty())
    {
        groups
            .entry(&channel.subscribers)
            .or_default()
            .push(channel);
    }
    let event = |(users, channels): (&[UserId], Vec<&ChannelSubscribers>)| {
        let ids: Vec<ChannelId> = channels.iter().map(|channel| channel.channel_id).collect();
        let added = kinds::subscription_peer_add(&ids, users, audience.clone());
        let archived = channels.iter().filter(|channel| channel.is_archived);
        kinds::subscription_in_archived(added, archived.map(|channel| channel.channel_id))
    };
    groups.into_iter().map(event).collect()
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
