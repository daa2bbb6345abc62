//! One event for all channels of which the same people hear the same; both directions share it.

use std::collections::BTreeMap;

use serde_json::json;
use spindle_events::{Audience, Event};

/// Users by channel, both ascending.
pub(super) fn by_channel(pairs: &[(i64, i64)]) -> BTreeMap<i64, Vec<i64>> {
    let mut channels: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (user_id, channel_id) in pairs {
        channels.entry(*channel_id).or_default().push(*user_id);
    }
    channels
}

/// Channels of which the same people hear the same.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<(String, Vec<i64>), (Audience, Vec<i64>)>);

impl Groups {
    /// Adds a channel: `audience` hears of `users` there. An audience of nobody hears nothing.
    pub(super) fn add(&mut self, audience: Audience, users: Vec<i64>, channel_id: i64) {
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
    pub(super) fn into_events(self, event: fn(&[i64], &[i64], Audience) -> Event) -> Vec<Event> {
        self.0
            .into_iter()
            .map(|((_, users), (audience, channels))| event(&channels, &users, audience))
            .collect()
    }
}
