//! The organization's linkifiers, in their order.

use serde_json::Value;

use super::{Event, Part};

#[derive(Debug)]
pub(super) struct Linkifiers(Vec<Value>);

fn list(value: &Value) -> Vec<Value> {
    value.as_array().expect("linkifiers").clone()
}

impl Part for Linkifiers {
    const FETCH: &[&str] = &["realm_linkifiers"];
    const EVENTS: &[&str] = &["realm_linkifiers"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self(list(&state["realm_linkifiers"]))
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind != "realm_linkifiers" {
            return false;
        }
        self.0 = list(&event["realm_linkifiers"]);
        true
    }
}
