//! Scheduled messages and reminders as objects; their delivery is tested in `scheduled`.

mod create_reminder;
mod create_scheduled_message;
mod edit_scheduled_message;

use serde_json::Value;
use spindle_tests::User;

/// Delivery time of the messages of these tests, in seconds from now.
const LATER: i64 = 100_000;

fn time(from_now: i64) -> String {
    (spindle_tests::unix_now() + from_now).to_string()
}

/// The list of the operation, which equals the register section.
fn list(user: &User, name: &str) -> Vec<Value> {
    let body = user.get(&format!("/{name}"), &[]).ok();
    let types = format!("[\"{name}\"]");
    let pairs = [("event_types", "[]"), ("fetch_event_types", types.as_str())];
    assert_eq!(body[name], user.post("/register", &pairs).ok()[name]);
    body[name].as_array().unwrap().clone()
}

/// Schedules a message; returns its id.
#[track_caller]
fn schedule(user: &User, kind: &str, to: &str, topic: &str, content: &str) -> i64 {
    let time = time(LATER);
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", content),
        ("scheduled_delivery_timestamp", &time),
    ];
    let body = user.post("/scheduled_messages", &pairs).ok();
    body["scheduled_message_id"].as_i64().unwrap()
}

fn found(user: &User, id: i64) -> Value {
    let list = list(user, "scheduled_messages");
    let found = list.iter().find(|one| one["scheduled_message_id"] == id);
    found.expect("the scheduled message").clone()
}
