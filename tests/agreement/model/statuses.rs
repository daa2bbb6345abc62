//! Statuses of users.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Event, Part, id, object};

#[derive(Debug)]
pub(super) struct Statuses(BTreeMap<i64, BTreeMap<String, Value>>);

impl Part for Statuses {
    const FETCH: &[&str] = &["user_status"];
    const EVENTS: &[&str] = &["user_status"];

    fn read(_own_id: i64, state: &Value) -> Self {
        let statuses = state["user_status"].as_object().expect("user_status");
        let read = |(user, status): (&String, &Value)| {
            (user.parse().expect("an id as key"), object(status))
        };
        Self(statuses.iter().map(read).collect())
    }

    fn apply(&mut self, event: &Event<'_>) -> bool {
        if event.kind == "user_status" {
            self.apply_status(event.body);
            return true;
        }
        false
    }
}

impl Statuses {
    /// The event contains the changed fields only; an emptied field is removed, and a user without
    /// any field is not listed.
    fn apply_status(&mut self, event: &Value) {
        let user = id(&event["user_id"]);
        let status = self.0.entry(user).or_default();
        if let Some(away) = event.get("away") {
            status.remove("away");
            if away == true {
                status.insert("away".to_owned(), json!(true));
            }
        }
        if let Some(text) = event.get("status_text") {
            status.remove("status_text");
            if text != "" {
                status.insert("status_text".to_owned(), text.clone());
            }
        }
        if let Some(name) = event.get("emoji_name") {
            for part in ["emoji_name", "emoji_code", "reaction_type"] {
                status.remove(part);
                if name != "" {
                    status.insert(part.to_owned(), event[part].clone());
                }
            }
        }
        if let Some(end) = event.get("scheduled_end_time") {
            status.remove("scheduled_end_time");
            if !end.is_null() {
                status.insert("scheduled_end_time".to_owned(), end.clone());
            }
        }
        if status.is_empty() {
            self.0.remove(&user);
        }
    }
}
