//! Custom profile fields in their order. Their values are in the user objects.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Event, Part, by_id};

#[derive(Debug)]
pub(super) struct ProfileFields {
    fields: BTreeMap<i64, Map<String, Value>>,
}

impl Part for ProfileFields {
    const FETCH: &[&str] = &["custom_profile_fields"];
    const EVENTS: &[&str] = &["custom_profile_fields"];

    fn read(_own_id: i64, state: &Value) -> Self {
        Self {
            fields: by_id(&state["custom_profile_fields"], "id"),
        }
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind != "custom_profile_fields" {
            return false;
        }
        self.fields = by_id(&event["fields"], "id");
        true
    }
}
