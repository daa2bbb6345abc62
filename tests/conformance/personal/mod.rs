//! Private data of users: drafts, snippets, settings, presence, devices.

mod alert_words;
mod drafts;
mod muted_users;
mod navigation_views;
mod presence;
mod push_devices;
mod push_tokens;
mod saved_snippets;
mod settings;
mod settings_of_others;
mod user_topics;

use serde_json::Value;
use spindle_tests::User;

/// One section of the caller's snapshot, in full, as for a client without capabilities.
fn section(user: &User, name: &str) -> Value {
    let types = format!("[\"{name}\"]");
    let pairs = [("event_types", "[]"), ("fetch_event_types", types.as_str())];
    user.post("/register", &pairs).ok()
}

/// Events without their ids in the queue.
fn without_ids(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        if let Some(event) = event.as_object_mut() {
            event.remove("id");
        }
    }
    events
}
