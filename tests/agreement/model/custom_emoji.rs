//! Custom emoji, deactivated ones included.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Part, object};

#[derive(Debug)]
pub(super) struct CustomEmoji(BTreeMap<String, Value>);

impl Part for CustomEmoji {
    const FETCH: &[&str] = &["realm_emoji"];
    const EVENTS: &[&str] = &["realm_emoji"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self(object(&state["realm_emoji"]))
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("realm_emoji", "add") => {
                let emoji = &event["emoji"];
                let id = emoji["id"].as_str().expect("an id").to_owned();
                let before = self.0.insert(id, emoji.clone());
                assert!(before.is_none(), "a new emoji was there already");
            }
            ("realm_emoji", "edit" | "update_one") => {
                let id = event["emoji_id"].as_str().expect("an id");
                let emoji = self.0.get_mut(id).expect("a known emoji");
                for (name, value) in event["data"].as_object().expect("data") {
                    emoji[name] = value.clone();
                }
            }
            ("realm_emoji", "update") => self.0 = object(&event["realm_emoji"]),
            _ => return false,
        }
        true
    }
}
