//! POST /typing (docs/protocol/limits.md#requests, docs/protocol/events.md#typing,
//! docs/protocol/presence.md#set_typing_status).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use crate::support::{keys, server, settle};

const TYPES: &str = "[\"typing\", \"user_status\"]";

fn queue(user: &User, capabilities: &str) -> Queue {
    let pairs = [
        ("event_types", TYPES),
        ("fetch_event_types", "[]"),
        ("client_capabilities", capabilities),
    ];
    Queue::open(user, &pairs)
}

fn modern(user: &User) -> Queue {
    let capabilities = r#"{"stream_typing_notifications": true, "empty_topic_name": true}"#;
    queue(user, capabilities)
}

fn to_people(user: &User, op: &str, to: &[&User]) -> Reply {
    let ids: Vec<i64> = to.iter().map(|user| user.user_id).collect();
    user.post("/typing", &[("op", op), ("to", &json!(ids).to_string())])
}

fn to_channel(user: &User, op: &str, channel: &Channel, topic: &str) -> Reply {
    let pairs = [
        ("type", "stream"),
        ("op", op),
        ("stream_id", &channel.id()),
        ("topic", topic),
    ];
    user.post("/typing", &pairs)
}

fn without_id(mut events: Vec<Value>) -> Vec<Value> {
    for event in &mut events {
        event.as_object_mut().unwrap().remove("id");
    }
    events
}

fn person(user: &User) -> Value {
    json!({"user_id": user.user_id, "email": user.email})
}

#[test]
fn only_the_named_recipients_receive_the_event() {
    let (writer, reader) = (server().user("member"), server().user("guest"));
    let stranger = server().user("owner");
    let mut queues = [modern(&reader), queue(&reader, "{}"), modern(&writer)];
    let mut strangers = modern(&stranger);
    for op in ["start", "stop"] {
        let body = to_people(&writer, op, &[&reader]).ok();
        assert_eq!(keys(&body), ["msg", "result"]);
        let mut people = [person(&writer), person(&reader)];
        people.sort_by_key(|person| person["user_id"].as_i64());
        for queue in &mut queues {
            assert_eq!(
                without_id(settle(queue)),
                [json!({"type": "typing", "op": op, "message_type": "direct",
                    "sender": person(&writer), "recipients": people})]
            );
        }
        assert_eq!(settle(&mut strangers), [] as [Value; 0]);
    }
}

#[test]
fn recipients_may_include_the_sender_and_duplicates() {
    let (writer, reader) = (server().user("member"), server().user("member"));
    let mut own = modern(&writer);
    to_people(&writer, "start", &[&writer]).ok();
    let events = settle(&mut own);
    assert_eq!(events[0]["recipients"], json!([person(&writer)]));
    to_people(&writer, "start", &[&reader, &writer, &reader]).ok();
    let events = settle(&mut own);
    assert_eq!(events[0]["recipients"].as_array().unwrap().len(), 2);
}

#[test]
fn subscribers_with_the_capability_receive_the_event() {
    let (writer, reader) = (server().user("member"), server().user("member"));
    let outsider = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer, &reader]);
    let mut able = modern(&reader);
    let mut unable = queue(&reader, r#"{"empty_topic_name": true}"#);
    let mut old = queue(&reader, r#"{"stream_typing_notifications": true}"#);
    let mut outside = modern(&outsider);
    for (topic, shown, shown_to_old) in [
        (" lunch ", "lunch", "lunch"),
        ("", "", "general chat"),
        ("(no topic)", "", "general chat"),
    ] {
        to_channel(&writer, "start", &channel, topic).ok();
        let event = |topic: &str| {
            json!({"type": "typing", "op": "start", "message_type": "stream",
                "sender": person(&writer), "stream_id": channel.stream_id, "topic": topic})
        };
        assert_eq!(without_id(settle(&mut able)), [event(shown)]);
        assert_eq!(without_id(settle(&mut old)), [event(shown_to_old)]);
        assert!(settle(&mut unable).is_empty());
        assert!(settle(&mut outside).is_empty());
    }
}

/// Older clients pass the channel in `to`.
#[test]
fn the_channel_may_be_passed_in_to() {
    let writer = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer]);
    let mut queue = modern(&writer);
    let to = format!("[{}]", channel.id());
    let pairs = [
        ("type", "channel"),
        ("op", "stop"),
        ("to", &to),
        ("topic", "t"),
    ];
    let reply = writer.post("/typing", &pairs);
    assert!(reply.ignored().is_empty());
    reply.ok();
    assert_eq!(settle(&mut queue)[0]["stream_id"], channel.stream_id);
}

#[test]
fn users_who_switched_off_typing_do_not_receive_it() {
    let (writer, deaf) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer, &deaf]);
    let mut queue = modern(&deaf);
    let setting = "receives_typing_notifications";
    deaf.patch("/settings", &[(setting, "false")]).ok();
    to_people(&writer, "start", &[&deaf]).ok();
    to_channel(&writer, "start", &channel, "t").ok();
    assert!(settle(&mut queue).is_empty());
    deaf.patch("/settings", &[(setting, "true")]).ok();
    to_people(&writer, "start", &[&deaf]).ok();
    to_channel(&writer, "start", &channel, "t").ok();
    assert_eq!(settle(&mut queue).len(), 2);
}

/// The setting is checked before the recipients.
#[test]
fn users_who_do_not_send_typing_are_refused() {
    let (writer, reader) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer, &reader]);
    let mut queue = modern(&reader);
    let set = |name: &str, value: &str| {
        writer.patch("/settings", &[(name, value)]).ok();
    };
    set("send_private_typing_notifications", "false");
    to_people(&writer, "start", &[&reader]).bad_request();
    to_channel(&writer, "start", &channel, "t").ok();
    set("send_private_typing_notifications", "true");
    set("send_stream_typing_notifications", "false");
    to_people(&writer, "start", &[&reader]).ok();
    to_channel(&writer, "start", &channel, "t").bad_request();
    let missing = [
        ("type", "stream"),
        ("op", "start"),
        ("stream_id", "99999999"),
        ("topic", "t"),
    ];
    writer.post("/typing", &missing).bad_request();
    let events = settle(&mut queue);
    let kinds: Vec<_> = events.iter().map(|event| &event["message_type"]).collect();
    assert_eq!(kinds, ["stream", "direct"]);
}

#[test]
fn above_a_hundred_subscribers_no_event_is_sent() {
    let writer = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&writer]);
    let mut queue = modern(&writer);
    let fill = |total: i64| {
        let database = server().database();
        let sql = "INSERT INTO subscriptions (user_id, channel_id, color)
            SELECT id, ?1, '#76ce90' FROM users WHERE is_active = 1 AND id NOT IN (
                SELECT user_id FROM subscriptions WHERE channel_id = ?1)
            LIMIT ?2 - (SELECT subscriber_count FROM channels WHERE id = ?1)";
        let parameters = rusqlite::params![channel.stream_id, total];
        database.execute(sql, parameters).unwrap();
        let sql = "SELECT subscriber_count FROM channels WHERE id = ?1";
        let count: i64 = database
            .query_row(sql, [channel.stream_id], |row| row.get(0))
            .unwrap();
        count == total
    };
    let mut made = Vec::new();
    for total in [100, 101] {
        while !fill(total) {
            made.push(server().user("member"));
        }
        to_channel(&writer, "start", &channel, "t").ok();
        assert_eq!(settle(&mut queue).len(), usize::from(total == 100));
    }
}

#[test]
fn missing_and_wrong_parameters_are_refused() {
    let user = server().user("member");
    let gone = server().user("member");
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    let own = format!("[{}]", user.id());
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]).id();
    for (pairs, missing) in [
        (vec![("to", own.as_str())], "op"),
        (vec![("op", "start")], "to"),
        (
            vec![("op", "start"), ("type", "stream"), ("topic", "t")],
            "stream_id",
        ),
        (
            vec![
                ("op", "start"),
                ("type", "channel"),
                ("stream_id", &channel),
            ],
            "topic",
        ),
    ] {
        let error = user
            .post("/typing", &pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(error["var_name"], missing);
    }
    let gone = format!("[{}]", gone.id());
    for to in [
        "[]",
        "[99999999]",
        "[-1]",
        "7",
        "a@b",
        "{}",
        "[\"a@b\"]",
        gone.as_str(),
    ] {
        let pairs = [("op", "start"), ("to", to)];
        user.post("/typing", &pairs).bad_request();
    }
    for (name, value) in [("op", "begin"), ("type", "huddle")] {
        let pairs = [("op", "start"), ("to", own.as_str()), (name, value)];
        user.post("/typing", &pairs).bad_request();
    }
}

/// A user who may not send to a place may not send typing events to it.
#[test]
fn only_users_who_may_send_there_send_typing() {
    let (insider, outsider) = (server().user("member"), server().user("member"));
    let guest = server().user("guest");
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&insider]);
    let public = fixture::channel(server(), ChannelKind::Public, &[&insider]);
    for (user, channel) in [(&outsider, &private), (&guest, &public), (&guest, &private)] {
        let error = to_channel(user, "start", channel, "t").error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(error["stream_id"], channel.stream_id);
    }
    to_channel(&outsider, "start", &public, "t").ok();
    fixture::channel_permission(server(), &public, "can_send_message_group", "role:owners");
    to_channel(&insider, "start", &public, "t").bad_request();
    fixture::channel_column(server(), &private, "is_archived", &1);
    to_channel(&insider, "start", &private, "t").bad_request();
}

/// Typing in a direct message needs the permission to send it.
#[test]
fn typing_to_people_needs_the_permission_to_write_to_them() {
    let server = spindle_tests::Server::own(spindle_tests::Options::default());
    let (writer, reader) = (server.user("member"), server.user("member"));
    let to = format!("[{}]", reader.id());
    let send = |content: &str| {
        writer.post(
            "/messages",
            &[("type", "direct"), ("to", &to), ("content", content)],
        )
    };
    for name in [
        "direct_message_initiator_group",
        "direct_message_permission_group",
    ] {
        crate::users::realm_permission(&server, name, "role:nobody");
        let refused = send("x").error(400, "BAD_REQUEST");
        assert_eq!(
            to_people(&writer, "start", &[&reader]).error(400, "BAD_REQUEST"),
            refused
        );
        to_people(&writer, "start", &[&writer]).ok();
        if name == "direct_message_initiator_group" {
            crate::users::realm_permission(&server, name, "role:everyone");
            send("x").ok();
            crate::users::realm_permission(&server, name, "role:nobody");
            to_people(&writer, "start", &[&reader]).ok();
        }
    }
}
