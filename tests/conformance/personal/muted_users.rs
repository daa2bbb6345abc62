//! /users/me/muted_users/{muted_user_id} (docs/protocol/personal.md#muted-users).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User};

use super::{section, without_ids};
use crate::support::{messages_from, server, settle};

fn path(user: &User) -> String {
    format!("/users/me/muted_users/{}", user.id())
}

fn muted(user: &User) -> Vec<i64> {
    let body = section(user, "muted_users");
    let list = body["muted_users"].as_array().unwrap();
    list.iter()
        .map(|item| item["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn a_user_is_muted_and_unmuted() {
    let (user, other) = (server().user("guest"), server().bot());
    user.post(&path(&other), &[]).ok();
    assert_eq!(muted(&user), [other.user_id]);
    assert!(muted(&other).is_empty());
    user.post(&path(&other), &[]).bad_request();
    user.delete(&path(&other), &[]).ok();
    assert!(muted(&user).is_empty());
    user.delete(&path(&other), &[]).bad_request();
}

#[test]
fn some_users_cannot_be_muted() {
    let user = server().user("member");
    user.post(&path(&user), &[]).bad_request();
    user.post("/users/me/muted_users/999999999", &[])
        .bad_request();
    user.delete("/users/me/muted_users/999999999", &[])
        .bad_request();
    assert!(muted(&user).is_empty());
}

#[test]
fn the_event_has_the_whole_list_and_goes_to_the_user_only() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let types = ["muted_users", "user_status"];
    let (mut own, mut others) = (Queue::of(&user, &types), Queue::of(&other, &types));
    user.post(&path(&other), &[]).ok();
    user.post(&path(&other), &[]).bad_request();
    user.delete(&path(&other), &[]).ok();
    let mine = |events: Vec<Value>| -> Vec<Value> {
        let events = without_ids(events).into_iter();
        events
            .filter(|event| event["type"] == "muted_users")
            .collect()
    };
    let events = mine(settle(&mut own));
    let time = events[0]["muted_users"][0]["timestamp"].clone();
    assert_eq!(
        events,
        [
            json!({"type": "muted_users", "muted_users": [{"id": other.user_id, "timestamp": time}]}),
            json!({"type": "muted_users", "muted_users": []}),
        ]
    );
    assert!(mine(settle(&mut others)).is_empty());
}

#[test]
fn messages_of_muted_users_arrive_read() {
    let (user, other, third) = (
        fixture::hermit(server(), "member"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other, &third]);
    user.post(&path(&other), &[]).ok();
    let (mut own, mut thirds) = (
        Queue::of(&user, &["message", "user_status"]),
        Queue::of(&third, &["message", "user_status"]),
    );
    let send = |kind: &str, to: &str| {
        let pairs = [("type", kind), ("to", to), ("topic", "t"), ("content", "x")];
        other.post("/messages", &pairs).ok();
    };
    send("channel", &channel.id());
    send("direct", &format!("[{}, {}]", user.id(), third.id()));
    for event in messages_from(&settle(&mut own), &other) {
        assert_eq!(event["flags"], json!(["read"]));
    }
    let events = messages_from(&settle(&mut thirds), &other);
    assert_eq!(events.len(), 2);
    for event in events {
        assert_eq!(event["flags"], json!([]));
    }
    let unread = user
        .post(
            "/register",
            &[(
                "fetch_event_types",
                "[\"message\", \"update_message_flags\"]",
            )],
        )
        .ok();
    assert_eq!(unread["unread_msgs"]["count"], 0);
}

/// The flags precede the list, so clients never count messages of a muted user.
#[test]
fn unread_messages_of_a_muted_user_become_read() {
    let (user, other, third) = (
        fixture::hermit(server(), "member"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other, &third]);
    let send = |sender: &User, kind: &str, to: &str| -> Value {
        let pairs = [("type", kind), ("to", to), ("topic", "t"), ("content", "x")];
        sender.post("/messages", &pairs).ok()["id"].clone()
    };
    let unread = [
        send(&other, "channel", &channel.id()),
        send(&other, "direct", &format!("[{}]", user.id())),
    ];
    send(&third, "channel", &channel.id());
    let types = ["muted_users", "update_message_flags", "user_status"];
    let mut queue = Queue::of(&user, &types);
    user.post(&path(&other), &[]).ok();
    let events = without_ids(settle(&mut queue));
    assert_eq!(
        events[0],
        json!({"type": "update_message_flags", "op": "add", "operation": "add", "flag": "read",
            "messages": unread, "all": false})
    );
    assert_eq!(events[1]["type"], "muted_users");
    assert_eq!(events.len(), 2);
    // Muting again or unmuting marks nothing.
    user.delete(&path(&other), &[]).ok();
    user.post(&path(&other), &[]).ok();
    let events = without_ids(settle(&mut queue));
    assert!(events.iter().all(|event| event["type"] == "muted_users"));
}
