//! POST /messages/{message_id}/typing (docs/protocol/events.md#typing_edit_message,
//! docs/protocol/presence.md#set_message_edit_typing_status).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{direct, to_channel};
use crate::support::{keys, server, settle};

fn queue(user: &User, capabilities: &str) -> Queue {
    let pairs = [
        ("event_types", "[\"typing_edit_message\", \"user_status\"]"),
        ("fetch_event_types", "[]"),
        ("client_capabilities", capabilities),
    ];
    Queue::open(user, &pairs)
}

fn typing(user: &User, id: i64, op: &str) -> Reply {
    user.post(&format!("/messages/{id}/typing"), &[("op", op)])
}

fn only(queue: &mut Queue) -> Value {
    let mut events = settle(queue);
    assert_eq!(events.len(), 1, "{events:?}");
    let mut event = events.remove(0);
    event.as_object_mut().unwrap().remove("id");
    event
}

#[test]
fn only_the_named_recipients_receive_the_event() {
    let (writer, reader) = (server().user("member"), server().user("guest"));
    let stranger = server().user("owner");
    let id = direct(&writer, &[&reader], "x");
    let mut received = queue(&reader, "{}");
    let mut strangers = queue(&stranger, "{}");
    let mut people = [writer.user_id, reader.user_id];
    people.sort_unstable();
    for op in ["start", "stop"] {
        let body = typing(&writer, id, op).ok();
        assert_eq!(keys(&body), ["msg", "result"]);
        assert_eq!(
            only(&mut received),
            json!({"type": "typing_edit_message", "op": op, "sender_id": writer.user_id,
                "message_id": id, "recipient": {"type": "direct", "user_ids": people}})
        );
        assert!(settle(&mut strangers).is_empty());
    }
}

#[test]
fn subscribers_receive_the_channel_and_topic() {
    let (writer, reader) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer, &reader]);
    let mut modern = queue(&reader, r#"{"empty_topic_name": true}"#);
    let mut old = queue(&reader, "{}");
    for (topic, shown, shown_to_old) in [("t", "t", "t"), ("", "", "general chat")] {
        let id = to_channel(&writer, &channel, topic, "x");
        typing(&writer, id, "start").ok();
        let recipient =
            |topic| json!({"type": "channel", "channel_id": channel.stream_id, "topic": topic});
        assert_eq!(only(&mut modern)["recipient"], recipient(shown));
        assert_eq!(only(&mut old)["recipient"], recipient(shown_to_old));
    }
}

#[test]
fn the_settings_for_receiving_and_sending_typing_apply() {
    let (writer, reader) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer, &reader]);
    let there = to_channel(&writer, &channel, "t", "x");
    let between = direct(&writer, &[&reader], "x");
    let mut received = queue(&reader, "{}");
    let set = |user: &User, name: &str, value: &str| {
        user.patch("/settings", &[(name, value)]).ok();
    };
    set(&reader, "receives_typing_notifications", "false");
    typing(&writer, there, "start").ok();
    typing(&writer, between, "start").ok();
    assert!(settle(&mut received).is_empty());
    set(&reader, "receives_typing_notifications", "true");
    set(&writer, "send_stream_typing_notifications", "false");
    typing(&writer, there, "start").bad_request();
    typing(&writer, between, "start").ok();
    set(&writer, "send_stream_typing_notifications", "true");
    set(&writer, "send_private_typing_notifications", "false");
    typing(&writer, there, "start").ok();
    typing(&writer, between, "start").bad_request();
    assert_eq!(settle(&mut received).len(), 2);
}

/// Only users who may edit the message can send this event.
#[test]
fn only_users_who_may_edit_the_message_send_the_event() {
    let (writer, other) = (server().user("member"), server().user("administrator"));
    let id = direct(&writer, &[&other], "x");
    let hidden = direct(&writer, &[&writer], "x");
    typing(&other, id, "start").bad_request();
    let missing = typing(&other, 99_999_999, "start").bad_request();
    assert_eq!(
        typing(&other, hidden, "start").bad_request()["msg"],
        missing["msg"]
    );
    server()
        .database()
        .execute(
            "UPDATE messages SET date_sent = date_sent - 100000 WHERE id = ?1",
            [id],
        )
        .unwrap();
    typing(&writer, id, "start").bad_request();
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer]);
    let archived = to_channel(&writer, &channel, "t", "x");
    fixture::channel_column(server(), &channel, "is_archived", &1);
    typing(&writer, archived, "start").bad_request();
}

#[test]
fn only_known_operations_are_accepted() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "x");
    typing(&user, id, "begin").bad_request();
    let error = user
        .post(&format!("/messages/{id}/typing"), &[])
        .error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(error["var_name"], "op");
}
