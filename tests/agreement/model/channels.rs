//! Channels, who is subscribed to them, and how many are.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Ids, Part, id, ids};

#[derive(Debug, Default)]
pub(super) struct Channels {
    subscribers: BTreeMap<i64, Ids>,
    subscriber_counts: BTreeMap<i64, i64>,
    subscribed: Ids,
}

impl Part for Channels {
    const FETCH: &[&str] = &["subscription", "stream"];
    const EVENTS: &[&str] = &["subscription", "stream"];

    fn read(_own_id: i64, state: &Value) -> Self {
        let mut part = Self::default();
        for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
            for channel in state[list].as_array().expect("channels") {
                let stream = id(&channel["stream_id"]);
                part.subscribers
                    .insert(stream, ids(&channel["subscribers"]));
                part.subscriber_counts
                    .insert(stream, id(&channel["subscriber_count"]));
                if list == "subscriptions" {
                    part.subscribed.insert(stream);
                }
            }
        }
        part
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("subscription", op) => self.apply_subscription(op, event.body),
            ("stream", "update") => {
                if event["property"] == "subscriber_count" {
                    let stream = id(&event["stream_id"]);
                    self.subscriber_counts.insert(stream, id(&event["value"]));
                }
            }
            ("stream", _) => {}
            _ => return false,
        }
        true
    }
}

impl Channels {
    fn apply_subscription(&mut self, op: &str, event: &Value) {
        match op {
            "peer_add" | "peer_remove" => {
                for stream in ids(&event["stream_ids"]) {
                    let Some(members) = self.subscribers.get_mut(&stream) else {
                        continue;
                    };
                    for user in ids(&event["user_ids"]) {
                        let changed = if op == "peer_add" {
                            members.insert(user)
                        } else {
                            members.remove(&user)
                        };
                        assert!(changed, "{op} of what was so already: {event}");
                        let count = self.subscriber_counts.get_mut(&stream).expect("a count");
                        *count += if op == "peer_add" { 1 } else { -1 };
                    }
                }
            }
            other => panic!("no rule for subscription {other}: {event}"),
        }
    }
}
