//! Policies of topics.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Part, id};

/// By channel and topic in lower case: topic as written, policy, time.
#[derive(Debug)]
pub(super) struct UserTopics(BTreeMap<(i64, String), (String, i64, i64)>);

fn entry(item: &Value) -> ((i64, String), (String, i64, i64)) {
    let topic = item["topic_name"].as_str().expect("topic_name");
    (
        (id(&item["stream_id"]), topic.to_lowercase()),
        (
            topic.to_owned(),
            id(&item["visibility_policy"]),
            id(&item["last_updated"]),
        ),
    )
}

impl Part for UserTopics {
    const FETCH: &[&str] = &["user_topic"];
    const EVENTS: &[&str] = &["user_topic"];

    fn read(_own_id: i64, state: &Value) -> Self {
        let list = state["user_topics"].as_array().expect("user_topics");
        Self(list.iter().map(entry).collect())
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind != "user_topic" {
            return false;
        }
        let (key, value) = entry(event.body);
        if value.1 == 0 {
            assert!(self.0.remove(&key).is_some(), "nothing was set: {key:?}");
        } else {
            self.0.insert(key, value);
        }
        true
    }
}
