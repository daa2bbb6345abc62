//! Helpers of many modules: the shared server, an event that ends a quiet queue, small readers.

use std::sync::OnceLock;

use serde_json::Value;
use spindle_tests::{Queue, Server, User, unique};

/// The server all conformance tests share.
pub(crate) fn server() -> &'static Server {
    Server::shared()
}

/// All events except statuses that have reached a queue by now, in order. The function sets the
/// status of a user whom all can see; its event follows all earlier ones. The queue's event types
/// must contain `user_status`; other tests set statuses at any time, and a slow machine sends heartbeats.
#[track_caller]
pub(crate) fn settle(queue: &mut Queue) -> Vec<Value> {
    let mut events = settle_with_statuses(queue);
    events.retain(|event| event["type"] != "user_status" && event["type"] != "heartbeat");
    events
}

/// As [`settle`], including the statuses of all tests that run at the same time.
#[track_caller]
pub(crate) fn settle_with_statuses(queue: &mut Queue) -> Vec<Value> {
    static BEACON: OnceLock<User> = OnceLock::new();
    let beacon = BEACON.get_or_init(|| server().user("member"));
    let text = unique("beacon ");
    beacon
        .post("/users/me/status", &[("status_text", &text)])
        .ok();
    let mut events = queue.until(|event| event["status_text"] == text.as_str());
    events.retain(|event| {
        !event["status_text"]
            .as_str()
            .unwrap_or("")
            .starts_with("beacon ")
    });
    events
}

/// Keys of an object, sorted.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Asserts that every named field exists and is not null.
#[track_caller]
pub(crate) fn require(value: &Value, fields: &str) {
    for field in fields.split_whitespace() {
        assert!(
            value.get(field).is_some_and(|found| !found.is_null()),
            "{field} is missing or null"
        );
    }
}

/// The message events of one sender.
pub(crate) fn messages_from(events: &[Value], sender: &User) -> Vec<Value> {
    events
        .iter()
        .filter(|event| {
            event["type"] == "message" && event["message"]["sender_id"] == sender.user_id
        })
        .cloned()
        .collect()
}
