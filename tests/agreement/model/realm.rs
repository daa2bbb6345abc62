//! The settings and permissions of the organization.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Event, Part, object};

#[derive(Debug)]
pub(super) struct Realm(BTreeMap<String, Value>);

/// Fields of an event that are not in the snapshot: the HTML of the description.
const ONLY_IN_EVENTS: &str = "rendered_description";

impl Part for Realm {
    const FETCH: &[&str] = &["realm"];
    const EVENTS: &[&str] = &["realm"];

    /// All fields that begin with `realm_` and are not sections of their own.
    fn read(_own_id: i64, state: &Value) -> Self {
        const SECTIONS: &[&str] = &[
            "realm_billing",
            "realm_bots",
            "realm_default_stream_groups",
            "realm_default_streams",
            "realm_domains",
            "realm_embedded_bots",
            "realm_emoji",
            "realm_filters",
            "realm_incoming_webhook_bots",
            "realm_linkifiers",
            "realm_non_active_users",
            "realm_playgrounds",
            "realm_user_groups",
            "realm_user_settings_defaults",
            "realm_users",
        ];
        let mut fields = object(state);
        fields.retain(|name, _| name.starts_with("realm_") && !SECTIONS.contains(&name.as_str()));
        assert!(fields.contains_key("realm_topics_policy"));
        Self(fields)
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        match (event.kind, event.op) {
            ("realm", "update") => {
                let property = event["property"].as_str().expect("property");
                self.set(property, event["value"].clone());
            }
            ("realm", "update_dict") => {
                for (property, value) in object(&event["data"]) {
                    self.set(&property, value);
                }
            }
            _ => return false,
        }
        true
    }
}

impl Realm {
    fn set(&mut self, property: &str, value: Value) {
        if property != ONLY_IN_EVENTS {
            let old = self.0.insert(format!("realm_{property}"), value);
            assert!(old.is_some(), "{property} is not in the snapshot");
        }
    }
}
