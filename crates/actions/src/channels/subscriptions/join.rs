//! Subscribes users to channels: the rows and the events.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use spindle_domain::{ChannelId, UserId};
use spindle_events::{Audience, Event, Record, kinds};
use spindle_store::subscription_records::{self, PersonalRow};
use spindle_store::subscriptions::{self, ChannelPeers, SubscriptionKey};
use spindle_store::{channels, id_list};

use super::grouping::{Groups, by_channel};
use super::{Change, colors};
use crate::access::guest_views::GuestViews;
use crate::audience::{sees_from_outside, who_sees_subscribers_except};
use crate::json_record::parse_record;
use crate::notifications::notification_defaults;
use crate::{ActionError, Settings};

/// The user's notification defaults as JSON, and the personal half of each new record by channel.
type OwnRecords = (String, Vec<(ChannelId, String)>);

/// The new subscriptions, and their events.
pub(crate) struct Joined {
    /// The subscriptions that were not active before, ascending.
    pub(crate) pairs: Vec<SubscriptionKey>,
    /// The events, in this order: people whom guests see from now on, channels that
    /// come into sight, own subscriptions, those of others.
    pub(crate) events: Vec<Event>,
}

impl Change<'_, '_> {
    /// Subscribes active users, ascending, to channels, each with the colour that was asked for.
    pub(crate) fn join(
        &self,
        user_ids: &[UserId],
        channels: &[(ChannelId, Option<String>)],
    ) -> Result<Joined, ActionError> {
        let joining = self.with_colors(user_ids, channels)?;
        let guests = GuestViews::read(self.tx, self.realm_id)?;
        let pairs = subscriptions::join(self.tx, &json!(joining).to_string())?;
        if pairs.is_empty() {
            let events = Vec::new();
            return Ok(Joined { pairs, events });
        }
        self.recolor(&pairs, channels)?;
        let channel_ids: BTreeSet<ChannelId> = pairs.iter().map(|pair| pair.channel_id).collect();
        let listed = id_list(channel_ids.iter().copied());
        let peers = subscriptions::peers_among(self.tx, &listed)?;
        let objects = self.objects(&listed)?;
        let joiners = by_channel(&pairs);
        let (mut events, _) = guests.changes(self.tx)?;
        events.extend(self.come_into_sight(&peers, &joiners, &objects));
        events.extend(self.own_subscriptions(&pairs, &peers, objects)?);
        events.extend(self.peer_add_events(&peers, &joiners));
        Ok(Joined { pairs, events })
    }

    /// The events of their own subscriptions for the subscribers of a channel that is no longer
    /// archived, whose clients may know no archived channels.
    pub(crate) fn restored(&self, channel: ChannelPeers) -> Result<Vec<Event>, ActionError> {
        let id = channel.channel_id;
        let pair = |user_id: &UserId| SubscriptionKey {
            user_id: *user_id,
            channel_id: id,
        };
        let pairs: Vec<SubscriptionKey> = channel.subscribers.iter().map(pair).collect();
        let objects = self.objects(&id_list([id]))?;
        let events = self.own_subscriptions(&pairs, &[channel], objects)?;
        Ok(events
            .into_iter()
            .map(kinds::subscription_restored)
            .collect())
    }

    /// Channel objects by id, for a JSON list of ids.
    fn objects(&self, listed: &str) -> Result<BTreeMap<ChannelId, Record>, ActionError> {
        channels::objects_of(self.tx, self.realm_id, listed)?
            .iter()
            .map(|channel| Ok((channel.id, parse_record(&channel.object)?)))
            .collect()
    }

    /// Every pair with a colour: the one asked for, else one that the user does not have yet.
    fn with_colors(
        &self,
        user_ids: &[UserId],
        channels: &[(ChannelId, Option<String>)],
    ) -> Result<Vec<(UserId, ChannelId, String)>, ActionError> {
        let mut used: BTreeMap<UserId, BTreeSet<String>> = BTreeMap::new();
        for row in subscriptions::used_colors(self.tx, &id_list(user_ids.iter().copied()))? {
            used.entry(row.user_id).or_default().insert(row.color);
        }
        let mut joining = Vec::new();
        for user_id in user_ids {
            let used = used.entry(*user_id).or_default();
            for (channel_id, chosen) in channels {
                let picked = || colors::pick(used, *channel_id).to_owned();
                let color = chosen.clone().unwrap_or_else(picked);
                used.insert(color.clone());
                joining.push((*user_id, *channel_id, color));
            }
        }
        Ok(joining)
    }

    /// A colour that was asked for replaces the one that a returning subscriber had.
    fn recolor(
        &self,
        pairs: &[SubscriptionKey],
        channels: &[(ChannelId, Option<String>)],
    ) -> Result<(), ActionError> {
        let chosen: BTreeMap<ChannelId, &String> = channels
            .iter()
            .filter_map(|(id, color)| Some((*id, color.as_ref()?)))
            .collect();
        let colors: Vec<(UserId, ChannelId, &String)> = pairs
            .iter()
            .filter_map(|pair| {
                let color = *chosen.get(&pair.channel_id)?;
                Some((pair.user_id, pair.channel_id, color))
            })
            .collect();
        if !colors.is_empty() {
            subscriptions::set_colors(self.tx, &json!(colors).to_string())?;
        }
        Ok(())
    }

    /// `stream` `create` for users who could not see a channel before.
    fn come_into_sight(
        &self,
        peers: &[ChannelPeers],
        joiners: &BTreeMap<ChannelId, Vec<UserId>>,
        objects: &BTreeMap<ChannelId, Record>,
    ) -> Vec<Event> {
        let mut groups: BTreeMap<Vec<UserId>, Vec<Record>> = BTreeMap::new();
        for channel in peers {
            let new: Vec<UserId> = joiners
                .get(&channel.channel_id)
                .into_iter()
                .flatten()
                .copied()
                .filter(|user| !sees_from_outside(channel, *user, self.role_of(*user)))
                .collect();
            if let (false, Some(object)) = (new.is_empty(), objects.get(&channel.channel_id)) {
                groups.entry(new).or_default().push(object.clone());
            }
        }
        groups
            .into_iter()
            .map(|(users, objects)| kinds::stream_create(objects, Audience::users(users)))
            .collect()
    }

    /// `subscription` `add`, once for all users whose records are the same.
    fn own_subscriptions(
        &self,
        pairs: &[SubscriptionKey],
        peers: &[ChannelPeers],
        mut objects: BTreeMap<ChannelId, Record>,
    ) -> Result<Vec<Event>, ActionError> {
        for channel in peers {
            if let Some(object) = objects.get_mut(&channel.channel_id) {
                object.insert("subscribers".to_owned(), json!(*channel.subscribers));
            }
        }
        let user_ids: BTreeSet<UserId> = pairs.iter().map(|pair| pair.user_id).collect();
        let rows = subscription_records::personal(
            self.tx,
            &id_list(user_ids),
            &id_list(objects.keys().copied()),
        )?;
        let mut groups: BTreeMap<OwnRecords, Vec<UserId>> = BTreeMap::new();
        for rows in rows.chunk_by(|one, other| one.user_id == other.user_id) {
            let Some(first) = rows.first() else { continue };
            let defaults = notification_defaults(&Settings::of_user(&first.user_settings));
            let is_new = |row: &&PersonalRow| {
                let pair = SubscriptionKey {
                    user_id: row.user_id,
                    channel_id: row.channel_id,
                };
                pairs.binary_search(&pair).is_ok()
            };
            let own: Vec<(ChannelId, String)> = rows
                .iter()
                .filter(is_new)
                .map(|row| (row.channel_id, row.settings.clone()))
                .collect();
            let key = (json!(defaults).to_string(), own);
            groups.entry(key).or_default().push(first.user_id);
        }
        groups
            .into_iter()
            .map(|((defaults, own), users)| {
                let records = own
                    .iter()
                    .map(|(channel_id, settings)| {
                        let mut record = objects.get(channel_id).cloned().unwrap_or_default();
                        record.extend(parse_record(settings)?);
                        Ok(record)
                    })
                    .collect::<Result<Vec<Record>, ActionError>>()?;
                let defaults = parse_record(&defaults)?;
                let audience = Audience::users(users);
                Ok(kinds::subscription_add(audience, records, defaults))
            })
            .collect()
    }

    /// `subscription` `peer_add` for all other users who may know of it; the new subscribers' own
    /// records hold each other already.
    fn peer_add_events(
        &self,
        peers: &[ChannelPeers],
        joiners: &BTreeMap<ChannelId, Vec<UserId>>,
    ) -> Vec<Event> {
        let mut groups = Groups::default();
        for channel in peers {
            let Some(new) = joiners.get(&channel.channel_id) else {
                continue;
            };
            let audience = who_sees_subscribers_except(channel, &self.roles, new);
            groups.add(audience, new.clone(), channel.channel_id);
        }
        groups.into_events(kinds::subscription_peer_add)
    }
}
