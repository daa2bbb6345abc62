//! POST /mark_all_as_read, /mark_stream_as_read and /mark_topic_as_read
//! (docs/protocol/flags.md#mark_all_as_read).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Queue, User};

use super::{direct, to_channel};
use crate::support::{server, settle};

const TYPES: [&str; 2] = ["update_message_flags", "user_status"];

fn unread(user: &User) -> Value {
    let types = "[\"message\", \"update_message_flags\"]";
    let pairs = [("fetch_event_types", types), ("event_types", "[]")];
    user.post("/register", &pairs).ok()["unread_msgs"].clone()
}

fn flag_events(queue: &mut Queue) -> Vec<Value> {
    let mut events = settle(queue);
    events.retain(|event| event["type"] == "update_message_flags");
    for event in &mut events {
        event.as_object_mut().unwrap().remove("id");
    }
    events
}

fn read_event(ids: &[i64], all: bool) -> Value {
    json!({"type": "update_message_flags", "op": "add", "operation": "add", "flag": "read",
        "messages": ids, "all": all})
}

/// Messages from another user: two in topic `Tea`, one in `b`, one in a second channel, one direct.
fn scene() -> (User, Channel, Channel, [i64; 5]) {
    let (user, other) = (fixture::hermit(server(), "member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let second = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &other]);
    let ids = [
        to_channel(&other, &channel, "Tea", "x"),
        to_channel(&other, &channel, "tea", "x"),
        to_channel(&other, &channel, "b", "x"),
        to_channel(&other, &second, "Tea", "x"),
        direct(&other, &[&user], "x"),
    ];
    (user, channel, second, ids)
}

#[test]
fn everything_becomes_read() {
    let (user, _, _, _) = scene();
    assert_eq!(unread(&user)["count"], 5);
    let mut queue = Queue::of(&user, &TYPES);
    // As clients send it: without a body.
    let answer = user.send(Call::new("POST", "/mark_all_as_read")).ok();
    assert_eq!(answer["complete"], true);
    assert_eq!(unread(&user)["count"], 0);
    assert_eq!(flag_events(&mut queue), [read_event(&[], true)]);
}

#[test]
fn a_channel_becomes_read() {
    let (user, channel, _, ids) = scene();
    let mut queue = Queue::of(&user, &TYPES);
    let id = channel.id();
    for _ in 0..2 {
        user.post("/mark_stream_as_read", &[("stream_id", &id)])
            .ok();
    }
    assert_eq!(unread(&user)["count"], 2);
    assert_eq!(flag_events(&mut queue), [read_event(&ids[..3], false)]);
}

#[test]
fn a_topic_becomes_read() {
    let (user, channel, _, ids) = scene();
    let mut queue = Queue::of(&user, &TYPES);
    let id = channel.id();
    let mark = |topic: &str| {
        user.post(
            "/mark_topic_as_read",
            &[("stream_id", &id), ("topic_name", topic)],
        )
    };
    mark(" TEA ").ok();
    mark("tea").ok();
    assert_eq!(unread(&user)["count"], 3);
    assert_eq!(flag_events(&mut queue), [read_event(&ids[..2], false)]);
    mark("no such topic").bad_request();
    mark("").bad_request();
}

#[test]
fn the_empty_topic_is_accepted_under_all_its_names() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let id = channel.id();
    for name in ["", "general chat", "(no topic)"] {
        to_channel(&other, &channel, "", "x");
        let pairs = [("stream_id", id.as_str()), ("topic_name", name)];
        user.post("/mark_topic_as_read", &pairs).ok();
        assert_eq!(unread(&user)["count"], 0, "{name:?}");
    }
}

#[test]
fn hidden_channels_look_missing_and_parameters_are_required() {
    let (user, other) = (server().user("member"), server().user("administrator"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    to_channel(&user, &hidden, "t", "x");
    for id in [hidden.id(), "999999999".to_owned()] {
        // Administrators can see the channel but cannot read it.
        let pairs = [("stream_id", id.as_str()), ("topic_name", "t")];
        other
            .post("/mark_topic_as_read", &pairs)
            .error(400, "STREAM_DOES_NOT_EXIST");
        other
            .post("/mark_stream_as_read", &pairs[..1])
            .bad_request();
    }
    for path in ["/mark_stream_as_read", "/mark_topic_as_read"] {
        let body = user.post(path, &[]).error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], "stream_id");
    }
    let pairs = [("stream_id", "x"), ("topic_name", "t")];
    user.post("/mark_topic_as_read", &pairs).bad_request();
    let id = hidden.id();
    let body = user
        .post("/mark_topic_as_read", &[("stream_id", &id)])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(body["var_name"], "topic_name");
}

/// More than one part: the events list the ids, and the last one says "all".
#[test]
fn many_messages_become_read_in_parts() {
    let user = fixture::hermit(server(), "member");
    let template = direct(&user, &[&user], "x");
    let database = server().database();
    let tx = database.transaction();
    tx.execute(
        "INSERT INTO messages (realm_id, sender_id, conversation_id, content, rendered_content, \
         date_sent, client) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
         WHERE i < 4499) SELECT m.realm_id, m.sender_id, m.conversation_id, 'x', '<p>x</p>', \
         m.date_sent, m.client FROM n, messages m WHERE m.id = ?1",
        [template],
    )
    .unwrap();
    tx.execute(
        "INSERT INTO user_messages (user_id, message_id, flags) SELECT ?1, id, 2048 FROM messages \
         WHERE conversation_id = (SELECT conversation_id FROM messages WHERE id = ?2) AND id > ?2",
        [user.user_id, template],
    )
    .unwrap();
    tx.commit().unwrap();
    assert_eq!(unread(&user)["count"], 4500);
    let mut queue = Queue::of(&user, &TYPES);
    assert_eq!(user.post("/mark_all_as_read", &[]).ok()["complete"], true);
    assert_eq!(unread(&user)["count"], 0);
    let events = flag_events(&mut queue);
    let parts: Vec<(usize, bool)> = events
        .iter()
        .map(|event| {
            let messages = event["messages"].as_array().unwrap();
            (messages.len(), event["all"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(parts, [(2000, false), (2000, false), (0, true)]);
}
