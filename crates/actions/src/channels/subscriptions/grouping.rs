//! One event for all channels that have the same audience and the same users; joining and leaving
//! share it.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_domain::{ChannelId, UserId};
use spindle_events::{Audience, Event};
use spindle_store::subscriptions::SubscriptionKey;

/// Users by channel, both ascending.
pub(super) fn by_channel(pairs: &[SubscriptionKey]) -> BTreeMap<ChannelId, Vec<UserId>> {
    let mut channels: BTreeMap<ChannelId, Vec<UserId>> = BTreeMap::new();
    for pair in pairs {
        let users = channels.entry(pair.channel_id).or_default();
        users.push(pair.user_id);
    }
    channels
}

/// Channels by the audience and the users of their event.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<(String, Vec<UserId>), (Audience, Vec<ChannelId>)>);

impl Groups {
    /// Adds a channel whose event about `users` goes to `audience`; adds nothing when the audience
    /// is empty.
    pub(super) fn add(&mut self, audience: Audience, users: Vec<UserId>, channel_id: ChannelId) {
        if audience
            .listed()
            .is_some_and(spindle_events::UserSet::is_empty)
        {
            return;
        }
        let key = (json!(audience).to_string(), users);
        let group = self.0.entry(key).or_insert_with(|| (audience, Vec::new()));
        group.1.push(channel_id);
    }

    /// One event for every group.
    pub(super) fn into_events(
        self,
        event: fn(&[ChannelId], &[UserId], Audience) -> Event,
    ) -> Vec<Event> {
        self.0
            .into_iter()
            .map(|((_, users), (audience, channels))| event(&channels, &users, audience))
            .collect()
    }
}
