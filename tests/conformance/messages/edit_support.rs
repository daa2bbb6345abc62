//! Helpers for tests of edited and moved messages.

use serde_json::{Value, json};
use spindle_tests::fixture::Channel;
use spindle_tests::{Queue, Reply, Server, User};

use crate::support::settle;

/// Sets one of the organization's settings (a name without prefix).
pub(super) fn setting(server: &Server, name: &str, value: Value) {
    server
        .database()
        .execute(
            "UPDATE realms SET settings = json_set(settings, '$.' || ?1, json(?2)) WHERE id = 1",
            (name, value.to_string()),
        )
        .expect("setting");
}

/// Gives one of the organization's permissions to a system group.
pub(super) fn realm_permission(server: &Server, name: &str, group: &str) {
    let changed = server
        .database()
        .execute(
            "UPDATE group_settings SET group_id = (SELECT id FROM user_groups WHERE name = ?2)
             WHERE owner_type = 'realm' AND name = ?1",
            (name, group),
        )
        .expect("permission");
    assert_eq!(changed, 1, "{name}");
}

/// Backdates a message.
pub(super) fn age(server: &Server, id: i64, seconds: i64) -> i64 {
    server
        .database()
        .execute(
            "UPDATE messages SET date_sent = date_sent - ?2 WHERE id = ?1",
            [id, seconds],
        )
        .expect("age");
    id
}

/// A queue for changes of messages.
pub(super) fn listen(user: &User) -> Queue {
    Queue::open(
        user,
        &[
            (
                "event_types",
                r#"["update_message", "delete_message", "update_message_flags", "stream",
                    "attachment", "user_topic", "message", "user_status"]"#,
            ),
            ("fetch_event_types", "[]"),
            (
                "client_capabilities",
                r#"{"bulk_message_deletion": true, "empty_topic_name": true}"#,
            ),
        ],
    )
}

/// The received events of one type, without their ids.
pub(super) fn heard(queue: &mut Queue, kind: &str) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| event["type"] == kind);
    for event in &mut events {
        event.as_object_mut().expect("an object").remove("id");
    }
    events
}

/// PATCH /messages/{id}, silently: without notices in the topics.
pub(super) fn patch(user: &User, id: i64, pairs: &[(&str, &str)]) -> Reply {
    let mut all = vec![("send_notification_to_new_thread", "false")];
    all.extend_from_slice(pairs);
    user.patch(&format!("/messages/{id}"), &all)
}

/// The place of a message as a user reads it: channel and topic; `None` when it is hidden.
pub(super) fn place(user: &User, id: i64) -> Option<(i64, String)> {
    let path = format!("/messages/{id}");
    let reply = user.get(&path, &[("allow_empty_topic_name", "true")]);
    if reply.status != 200 {
        return None;
    }
    let message = &reply.body["message"];
    let topic = message["subject"].as_str().expect("subject").to_owned();
    Some((message["stream_id"].as_i64().expect("stream_id"), topic))
}

/// The flags of a message for a user, sorted.
pub(super) fn flags(user: &User, id: i64) -> Vec<String> {
    let message = super::read(user, id);
    let mut flags: Vec<String> = message["flags"]
        .as_array()
        .expect("flags")
        .iter()
        .map(|flag| flag.as_str().expect("a flag").to_owned())
        .collect();
    flags.sort_unstable();
    flags
}

/// The fields of a move in an event.
pub(super) fn moved(event: &Value) -> Value {
    json!({
        "message_id": event["message_id"], "message_ids": event["message_ids"],
        "stream_id": event["stream_id"], "propagate_mode": event["propagate_mode"],
        "orig_subject": event["orig_subject"], "subject": event["subject"],
        "new_stream_id": event["new_stream_id"]
    })
}

/// As [`Channel::id`], for parameters.
pub(super) fn to(channel: &Channel) -> (&'static str, String) {
    ("stream_id", channel.id())
}
