//! Unsubscribes users from channels: the rows and the events.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::{ChannelId, UserId};
use spindle_events::{Audience, Event, kinds};
use spindle_store::channel_facts::ChannelFactsRow;
use spindle_store::channels;
use spindle_store::subscriptions::{self, ChannelPeers, SubscriptionKey};
use spindle_store::{audit, id_list, unread_left};

use super::Change;
use super::grouping::{Groups, by_channel};
use crate::ActionError;
use crate::access::guest_views::GuestViews;
use crate::audience::{sees_from_outside, who_sees_subscribers, who_sees_subscribers_except};

/// The subscriptions that have ended, and their events.
pub(crate) struct Left {
    /// The subscriptions that have ended, ascending.
    pub(crate) pairs: Vec<SubscriptionKey>,
    /// The events, in this order: messages that are read now, own subscriptions,
    /// channels that go out of sight, subscriptions of others, channels that are archived,
    /// people whom guests no longer see.
    pub(crate) events: Vec<Event>,
}

impl Change<'_, '_> {
    /// Unsubscribes users from channels. What they had not read there counts as read; of very much,
    /// a part is marked here and the rest soon. A private channel is archived when it has no
    /// subscribers left and no user may enter it by a permission of its own.
    pub(crate) fn leave(
        &self,
        acting_user_id: Option<UserId>,
        user_ids: &[UserId],
        rows: &[ChannelFactsRow],
    ) -> Result<Left, ActionError> {
        let channel_ids = id_list(rows.iter().map(|row| row.id));
        let users = id_list(user_ids.iter().copied());
        let guests = GuestViews::read(self.tx, self.realm_id)?;
        let pairs = subscriptions::leave(self.tx, &users, &channel_ids)?;
        let mut events = self.read_everything(&pairs)?;
        let leavers = by_channel(&pairs);
        let left = id_list(leavers.keys().copied());
        let peers = subscriptions::peers_among(self.tx, &left)?;
        let names: BTreeMap<ChannelId, &str> =
            rows.iter().map(|row| (row.id, row.name.as_str())).collect();
        let archived = || {
            let archived = rows.iter().filter(|row| row.is_archived);
            archived.map(|row| row.id)
        };
        let in_archived = |event| kinds::subscription_in_archived(event, archived());
        events.extend(
            own_subscriptions(&pairs, &names)
                .into_iter()
                .map(in_archived),
        );
        events.extend(self.go_out_of_sight(&peers, &leavers));
        let others = self.peer_remove_events(&peers, &leavers);
        events.extend(others.into_iter().map(in_archived));
        for row in rows
            .iter()
            .filter(|row| row.invite_only && !row.is_archived)
        {
            let vacant = |peers: &&ChannelPeers| {
                peers.channel_id == row.id
                    && peers.subscribers.is_empty()
                    && peers.may_enter.is_empty()
            };
            if let Some(peers) = peers.iter().find(vacant) {
                events.push(self.archive(acting_user_id, row, peers)?);
            }
        }
        let (_, unseen) = guests.changes(self.tx)?;
        events.extend(unseen);
        Ok(Left { pairs, events })
    }

    fn read_everything(&self, pairs: &[SubscriptionKey]) -> Result<Vec<Event>, ActionError> {
        let read = unread_left::read(self.tx, pairs)?;
        Ok(read
            .iter()
            .map(|read| kinds::update_message_flags_read(read.user_id, &read.message_ids))
            .collect())
    }

    /// `stream` `delete` for users who may no longer see a channel.
    fn go_out_of_sight(
        &self,
        peers: &[ChannelPeers],
        leavers: &BTreeMap<ChannelId, Vec<UserId>>,
    ) -> Vec<Event> {
        let mut groups: BTreeMap<(Vec<UserId>, bool), Vec<ChannelId>> = BTreeMap::new();
        for channel in peers {
            let blind: Vec<UserId> = leavers
                .get(&channel.channel_id)
                .into_iter()
                .flatten()
                .copied()
                .filter(|user| !sees_from_outside(channel, *user, self.role_of(*user)))
                .collect();
            if !blind.is_empty() {
                let group = groups.entry((blind, channel.is_archived)).or_default();
                group.push(channel.channel_id);
            }
        }
        groups
            .into_iter()
            .map(|((users, archived), ids)| {
                kinds::stream_hidden(&ids, archived, Audience::users(users))
            })
            .collect()
    }

    /// `subscription` `peer_remove` for all other users who may know of it. Where several users
    /// have left and some of them still see the channel, each receives the events of the others:
    /// one event for every user who leaves, which grows less than one for every pair of them.
    fn peer_remove_events(
        &self,
        peers: &[ChannelPeers],
        leavers: &BTreeMap<ChannelId, Vec<UserId>>,
    ) -> Vec<Event> {
        let mut groups = Groups::default();
        for channel in peers {
            let Some(gone) = leavers.get(&channel.channel_id) else {
                continue;
            };
            let sees = |user: &UserId| sees_from_outside(channel, *user, self.role_of(*user));
            if gone.len() == 1 || !gone.iter().any(sees) {
                let audience = who_sees_subscribers_except(channel, &self.roles, gone);
                groups.add(audience, gone.clone(), channel.channel_id);
                continue;
            }
            for user in gone {
                let audience = who_sees_subscribers_except(channel, &self.roles, &[*user]);
                groups.add(audience, vec![*user], channel.channel_id);
            }
        }
        groups.into_events(kinds::subscription_peer_remove)
    }

    fn archive(
        &self,
        acting_user_id: Option<UserId>,
        row: &ChannelFactsRow,
        peers: &ChannelPeers,
    ) -> Result<Event, ActionError> {
        channels::set_archived(self.tx, row.id, true)?;
        let data = json!({"stream_id": row.id, "reason": "nobody is left"});
        audit::append(
            self.tx,
            self.realm_id,
            self.now,
            acting_user_id,
            None,
            "channel_archived",
            &data.to_string(),
        )?;
        let audience = who_sees_subscribers(peers, &self.roles);
        Ok(kinds::stream_archived(row.id, &row.name, audience))
    }
}

/// `subscription` `remove`, once for all users who have left the same channels.
fn own_subscriptions(pairs: &[SubscriptionKey], names: &BTreeMap<ChannelId, &str>) -> Vec<Event> {
    let mut groups: BTreeMap<Vec<ChannelId>, Vec<UserId>> = BTreeMap::new();
    for own in pairs.chunk_by(|one, other| one.user_id == other.user_id) {
        if let Some(first) = own.first() {
            let channels = own.iter().map(|pair| pair.channel_id).collect();
            groups.entry(channels).or_default().push(first.user_id);
        }
    }
    groups
        .into_iter()
        .map(|(channel_ids, users)| {
            let channels: Vec<(ChannelId, String)> = channel_ids
                .iter()
                .filter_map(|id| Some((*id, (*names.get(id)?).to_owned())))
                .collect();
            kinds::subscription_remove(Audience::users(users), &channels)
        })
        .collect()
}
