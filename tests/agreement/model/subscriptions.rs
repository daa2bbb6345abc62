//! The channels that a user is subscribed to, those they could subscribe to, and all their
//! subscribers.
//!
//! Unsubscribed and never subscribed channels are one set here: a client that learns of a channel
//! from an event cannot know which it is.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Event, Ids, Part, id, ids};

type Record = Map<String, Value>;

/// Fields that only subscriptions have.
const PERSONAL: [&str; 9] = [
    "audible_notifications",
    "color",
    "desktop_notifications",
    "email_notifications",
    "in_home_view",
    "is_muted",
    "pin_to_top",
    "push_notifications",
    "wildcard_mentions_notify",
];
/// Fields that are kept elsewhere, derived from a permission, or measured.
const LEFT_OUT: [&str; 5] = [
    "subscribers",
    "subscriber_count",
    "stream_post_policy",
    "is_announcement_only",
    "stream_weekly_traffic",
];

#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    own_id: i64,
    subscribed: BTreeMap<i64, Record>,
    outside: BTreeMap<i64, Record>,
    subscribers: BTreeMap<i64, Ids>,
    counts: BTreeMap<i64, i64>,
    /// Channels that have appeared; the next `peer_add` lists the subscribers that they count.
    unlisted: Ids,
}

impl Part for Subscriptions {
    const FETCH: &[&str] = &["subscription"];
    const EVENTS: &[&str] = &["subscription", "stream"];

    fn read(own_id: i64, state: &Value) -> Self {
        let mut part = Self {
            own_id,
            ..Self::default()
        };
        for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
            for channel in state[list].as_array().expect("channels") {
                if list == "subscriptions" {
                    part.enter(channel);
                } else {
                    part.learn(channel);
                }
            }
        }
        part
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("subscription", "add") => {
                for channel in event["subscriptions"].as_array().expect("records") {
                    let stream = id(&channel["stream_id"]);
                    self.outside.remove(&stream).expect("a visible channel");
                    self.enter(channel);
                }
            }
            ("subscription", "remove") => {
                for channel in event["subscriptions"].as_array().expect("channels") {
                    self.leave(id(&channel["stream_id"]));
                }
            }
            ("subscription", "update") => {
                let stream = id(&event["stream_id"]);
                let record = self.subscribed.get_mut(&stream).expect("subscribed");
                let property = event["property"].as_str().expect("property");
                record.insert(property.to_owned(), event["value"].clone());
            }
            ("subscription", op) => self.apply_peers(op, event),
            ("stream", "create") => {
                for channel in event["streams"].as_array().expect("channels") {
                    let stream = id(&channel["stream_id"]);
                    let is_known =
                        self.outside.contains_key(&stream) || self.subscribed.contains_key(&stream);
                    assert!(!is_known, "known before: {}", event.body);
                    self.learn(channel);
                }
            }
            ("stream", "delete") => {
                for stream in ids(&event["stream_ids"]) {
                    self.subscribed.remove(&stream);
                    self.outside.remove(&stream);
                    self.subscribers.remove(&stream);
                    self.counts.remove(&stream);
                }
            }
            ("stream", "update") => self.apply_update(event),
            _ => return false,
        }
        true
    }
}

impl Subscriptions {
    fn enter(&mut self, channel: &Value) {
        let stream = id(&channel["stream_id"]);
        self.count(stream, channel);
        self.subscribed.insert(stream, without(channel, &LEFT_OUT));
    }

    fn learn(&mut self, channel: &Value) {
        let stream = id(&channel["stream_id"]);
        self.count(stream, channel);
        let mut record = without(channel, &LEFT_OUT);
        record.retain(|name, _| !PERSONAL.contains(&name.as_str()));
        self.outside.insert(stream, record);
    }

    fn count(&mut self, stream: i64, channel: &Value) {
        let count = id(&channel["subscriber_count"]);
        let listed = channel.get("subscribers").map(ids);
        if listed.is_none() && count > 0 {
            self.unlisted.insert(stream);
        } else {
            self.unlisted.remove(&stream);
        }
        self.subscribers.insert(stream, listed.unwrap_or_default());
        self.counts.insert(stream, count);
    }

    fn leave(&mut self, stream: i64) {
        let mut record = self.subscribed.remove(&stream).expect("subscribed");
        record.retain(|name, _| !PERSONAL.contains(&name.as_str()));
        self.outside.insert(stream, record);
        let members = self.subscribers.get_mut(&stream).expect("subscribers");
        assert!(members.remove(&self.own_id), "left {stream} twice");
        *self.counts.get_mut(&stream).expect("a count") -= 1;
    }

    fn apply_peers(&mut self, op: &str, event: &Event<'_>) {
        for stream in ids(&event["stream_ids"]) {
            let Some(members) = self.subscribers.get_mut(&stream) else {
                continue;
            };
            let is_unlisted = self.unlisted.remove(&stream);
            for user in ids(&event["user_ids"]) {
                assert_ne!(user, self.own_id, "of oneself: {}", event.body);
                let (changed, step) = match op {
                    "peer_add" => (members.insert(user), 1),
                    "peer_remove" => (members.remove(&user), -1),
                    other => panic!("no rule for subscription {other}: {}", event.body),
                };
                assert!(changed, "{op} changes nothing: {}", event.body);
                if is_unlisted {
                    continue;
                }
                *self.counts.get_mut(&stream).expect("a count") += step;
            }
        }
    }

    fn apply_update(&mut self, event: &Event<'_>) {
        let stream = id(&event["stream_id"]);
        let property = event["property"].as_str().expect("property");
        if LEFT_OUT.contains(&property) {
            return;
        }
        let record = match self.subscribed.get_mut(&stream) {
            Some(record) => Some(record),
            None => self.outside.get_mut(&stream),
        };
        let Some(record) = record else { return };
        record.insert(property.to_owned(), event["value"].clone());
        for further in [
            "rendered_description",
            "history_public_to_subscribers",
            "is_web_public",
        ] {
            if let Some(value) = event.body.get(further) {
                record.insert(further.to_owned(), value.clone());
            }
        }
    }
}

fn without(channel: &Value, names: &[&str]) -> Record {
    let mut record = channel.as_object().expect("a channel").clone();
    record.retain(|name, _| !names.contains(&name.as_str()));
    record
}
