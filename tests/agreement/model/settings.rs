//! The user's own settings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Part, object};

#[derive(Debug)]
pub(super) struct Settings(BTreeMap<String, Value>);

impl Part for Settings {
    const FETCH: &[&str] = &["user_settings"];
    const EVENTS: &[&str] = &["user_settings"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self(object(&state["user_settings"]))
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if (event.kind, event.op) != ("user_settings", "update") {
            return false;
        }
        let name = event["property"].as_str().expect("property").to_owned();
        self.0.insert(name, event["value"].clone());
        true
    }
}
