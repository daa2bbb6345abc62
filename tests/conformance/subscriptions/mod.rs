//! Subscriptions: subscribing, unsubscribing, personal settings, and visibility.

mod add_subscriptions;
mod change_subscriptions;
mod creation;
mod get_subscribers;
mod get_subscription_status;
mod get_subscriptions;
mod get_user_channels;
mod principals;
mod remove_subscriptions;
mod sight;
mod update_subscription_settings;

use serde_json::{Value, json};
use spindle_tests::fixture::Channel;
use spindle_tests::{Queue, Reply, User};

use crate::support::settle;

/// POST /users/me/subscriptions for these names, with further parameters.
#[track_caller]
pub(crate) fn add(user: &User, names: &[&str], extra: &[(&str, &str)]) -> Reply {
    let wishes: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    let wishes = json!(wishes).to_string();
    let mut pairs = vec![("subscriptions", wishes.as_str())];
    pairs.extend(extra);
    user.post("/users/me/subscriptions", &pairs)
}

/// DELETE /users/me/subscriptions for these names, with further parameters.
#[track_caller]
pub(crate) fn remove(user: &User, names: &[&str], extra: &[(&str, &str)]) -> Reply {
    let names = json!(names).to_string();
    let mut pairs = vec![("subscriptions", names.as_str())];
    pairs.extend(extra);
    user.delete("/users/me/subscriptions", &pairs)
}

/// `principals` for these users.
pub(crate) fn ids(users: &[&User]) -> String {
    let ids: Vec<i64> = users.iter().map(|user| user.user_id).collect();
    json!(ids).to_string()
}

/// A queue for events of channels and subscriptions, which can be settled.
#[track_caller]
pub(crate) fn listen(user: &User) -> Queue {
    Queue::open(
        user,
        &[
            (
                "event_types",
                "[\"stream\", \"subscription\", \"default_streams\", \"update_message_flags\", \"user_status\"]",
            ),
            ("fetch_event_types", "[]"),
            ("include_subscribers", "true"),
            (
                "client_capabilities",
                "{\"notification_settings_null\": true, \"archived_channels\": true}",
            ),
        ],
    )
}

/// The caller's record of a channel.
#[track_caller]
pub(crate) fn record(user: &User, stream_id: i64) -> Option<Value> {
    let body = user.get(
        "/users/me/subscriptions",
        &[("include_subscribers", "true")],
    );
    let body = body.ok();
    let list = body["subscriptions"].as_array().expect("a list");
    list.iter()
        .find(|record| record["stream_id"] == stream_id)
        .cloned()
}

/// Type and op of the events about one channel, in order.
pub(crate) fn received(events: &[Value], stream_id: i64) -> Vec<String> {
    let names = |event: &Value| {
        let op = event["op"].as_str().unwrap_or("");
        format!("{} {op}", event["type"].as_str().expect("type"))
    };
    // A new channel has a notice about itself.
    let about = events
        .iter()
        .filter(|event| is_about(event, stream_id) && event["property"] != "first_message_id");
    about.map(names).collect()
}

fn is_about(event: &Value, stream_id: i64) -> bool {
    let has = |list: &str| {
        let list = event[list].as_array();
        list.is_some_and(|list| list.iter().any(|item| item["stream_id"] == stream_id))
    };
    event["stream_id"] == stream_id
        || listed(&event["stream_ids"], stream_id)
        || listed(&event["default_streams"], stream_id)
        || has("streams")
        || has("subscriptions")
}

fn listed(list: &Value, id: i64) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|item| *item == id))
}

/// All events of a queue about one channel: other tests create channels at the same time.
#[track_caller]
pub(crate) fn settle_about(queue: &mut Queue, stream_id: i64) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| is_about(event, stream_id));
    events
}

/// The first event about a channel of a type and op.
#[track_caller]
pub(crate) fn find<'a>(events: &'a [Value], stream_id: i64, kind: &str, op: &str) -> &'a Value {
    events
        .iter()
        .filter(|event| is_about(event, stream_id))
        .find(|event| event["type"] == kind && event["op"] == op)
        .unwrap_or_else(|| panic!("no {kind} {op} of {stream_id} in {events:?}"))
}

/// Ids of the subscribers, as a member of the channel sees them.
#[track_caller]
pub(crate) fn subscribers(user: &User, channel: &Channel) -> Vec<i64> {
    let body = user.get(&format!("/streams/{}/members", channel.id()), &[]);
    let body = body.ok();
    let list = body["subscribers"].as_array().expect("a list");
    list.iter().filter_map(Value::as_i64).collect()
}
