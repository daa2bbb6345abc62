//! Channel objects of the section `streams`, and the list of default channels.
//!
//! The number of subscribers is kept by the subject of subscriptions, which counts them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Event, Ids, Part, by_id, id, ids};

#[derive(Debug)]
pub(super) struct Streams {
    channels: BTreeMap<i64, Map<String, Value>>,
    defaults: Ids,
}

fn without_count(mut channel: Map<String, Value>) -> Map<String, Value> {
    channel.remove("subscriber_count").expect("a count");
    channel.remove("subscribers");
    channel
}

impl Part for Streams {
    const FETCH: &[&str] = &["stream", "default_streams"];
    const EVENTS: &[&str] = &["stream", "default_streams"];

    fn read(_own_id: i64, state: &Value) -> Self {
        let channels = by_id(&state["streams"], "stream_id");
        Self {
            channels: channels
                .into_iter()
                .map(|(stream, channel)| (stream, without_count(channel)))
                .collect(),
            defaults: ids(&state["realm_default_streams"]),
        }
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("default_streams", _) => self.defaults = ids(&event["default_streams"]),
            ("stream", "create") => {
                for (stream, channel) in by_id(&event["streams"], "stream_id") {
                    let known = self.channels.insert(stream, without_count(channel));
                    assert!(known.is_none(), "appears once: {}", event.body);
                }
            }
            ("stream", "delete") => {
                for stream in ids(&event["stream_ids"]) {
                    let known = self.channels.remove(&stream);
                    assert!(known.is_some(), "was there: {}", event.body);
                }
            }
            ("stream", "update") => self.update(event),
            _ => return false,
        }
        true
    }
}

impl Streams {
    fn update(&mut self, event: &Event<'_>) {
        let stream = id(&event["stream_id"]);
        let channel = self.channels.get_mut(&stream).expect("a known channel");
        let property = event["property"].as_str().expect("property");
        channel.insert(property.to_owned(), event["value"].clone());
        for name in [
            "rendered_description",
            "history_public_to_subscribers",
            "is_web_public",
        ] {
            if let Some(value) = event.body.get(name) {
                channel.insert(name.to_owned(), value.clone());
            }
        }
    }
}
