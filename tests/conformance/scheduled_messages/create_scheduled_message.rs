//! POST, GET and DELETE /scheduled_messages (docs/protocol/scheduled.md#create_scheduled_message,
//! docs/protocol/scheduled.md#get_scheduled_messages).

use serde_json::json;
use spindle_tests::Queue;
use spindle_tests::fixture::{self, ChannelKind};

use super::{LATER, found, list, schedule, time};
use crate::support::{keys, server, settle};

#[test]
fn channel_and_direct_messages_are_scheduled_under_old_and_new_names() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    for kind in ["channel", "stream"] {
        let id = schedule(&user, kind, &channel.id(), " plans ", "**later**");
        let record = found(&user, id);
        assert_eq!(
            keys(&record),
            [
                "content",
                "failed",
                "rendered_content",
                "scheduled_delivery_timestamp",
                "scheduled_message_id",
                "to",
                "topic",
                "type"
            ]
        );
        assert_eq!(record["type"], "stream");
        assert_eq!(record["to"], channel.stream_id);
        assert_eq!(record["topic"], "plans");
        assert_eq!(record["content"], "**later**");
        assert_eq!(record["rendered_content"], "<p><strong>later</strong></p>");
        assert_eq!(record["failed"], false);
    }
    for kind in ["direct", "private"] {
        let people = format!("[{},{}]", other.id(), user.id());
        let record = found(&user, schedule(&user, kind, &people, "ignored", "x"));
        assert_eq!(record["type"], "private");
        assert_eq!(record["to"], json!([other.user_id]));
        assert!(record.get("topic").is_none());
    }
    let note = format!("[{}]", user.id());
    let record = found(&user, schedule(&user, "direct", &note, "", "x"));
    assert_eq!(record["to"], json!([user.user_id]));
}

#[test]
fn scheduled_messages_are_listed_by_time_and_sent_to_their_owner() {
    let (user, other) = (server().user("member"), server().user("member"));
    let to = format!("[{}]", other.id());
    let mut queue = Queue::of(&user, &["scheduled_messages", "message", "user_status"]);
    let mut others = Queue::of(&other, &["scheduled_messages", "message", "user_status"]);
    let mut ids = Vec::new();
    // One reading of the clock: two could be a second apart.
    let now = spindle_tests::unix_now();
    for later in [LATER + 2, LATER + 1] {
        let time = (now + later).to_string();
        let pairs = [
            ("type", "direct"),
            ("to", &to),
            ("content", "x"),
            ("scheduled_delivery_timestamp", &time),
        ];
        let body = user.post("/scheduled_messages", &pairs).ok();
        ids.push(body["scheduled_message_id"].clone());
    }
    let records = list(&user, "scheduled_messages");
    assert_eq!(records[0]["scheduled_message_id"], ids[1]);
    assert_eq!(records[1]["scheduled_message_id"], ids[0]);
    user.delete(&format!("/scheduled_messages/{}", ids[0]), &[])
        .ok();
    let events = settle(&mut queue);
    let ops: Vec<_> = events.iter().map(|event| &event["op"]).collect();
    assert_eq!(ops, ["add", "add", "remove"]);
    assert_eq!(events[0]["scheduled_messages"], json!([records[1]]));
    assert_eq!(events[2]["scheduled_message_id"], ids[0]);
    assert_eq!(list(&user, "scheduled_messages"), records[..1]);
    assert!(settle(&mut others).is_empty());
}

#[test]
fn a_message_that_may_not_be_sent_may_not_be_scheduled() {
    let (user, other) = (server().user("member"), server().user("member"));
    let open = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    let closed = fixture::channel(server(), ChannelKind::Public, &[&user]);
    fixture::channel_permission(server(), &closed, "can_send_message_group", "role:nobody");
    let later = time(LATER);
    let attempt = |changes: &[(&str, &str)]| {
        let (to, mut pairs) = (open.id(), Vec::new());
        let all = [
            ("type", "channel"),
            ("to", to.as_str()),
            ("topic", "t"),
            ("content", "x"),
            ("scheduled_delivery_timestamp", later.as_str()),
        ];
        for (name, value) in all {
            let changed = changes.iter().find(|(changed, _)| *changed == name);
            pairs.push((name, changed.map_or(value, |(_, value)| *value)));
        }
        user.post("/scheduled_messages", &pairs)
    };
    for missing in [hidden.id(), "999999".to_owned()] {
        let body = attempt(&[("to", &missing)]).error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(body["stream_id"].to_string(), missing);
    }
    let names_its_id = attempt(&[("type", "direct"), ("to", "[999999]")]).bad_request();
    assert!(names_its_id["msg"].as_str().unwrap().contains("999999"));
    for wrong in [
        &[("to", closed.id().as_str())] as &[(&str, &str)],
        &[("to", "general")],
        &[("to", "\"general\"")],
        &[("to", "[1]")],
        &[("type", "direct"), ("to", "5")],
        &[("type", "direct"), ("to", "[]")],
        &[("type", "direct"), ("to", "[\"a@example.com\"]")],
        &[("type", "topic")],
        &[("content", " \n")],
        &[("content", "a\0b")],
        &[("topic", "a\u{7}b")],
        &[("scheduled_delivery_timestamp", &time(-1))],
        &[("scheduled_delivery_timestamp", &time(0))],
        &[("scheduled_delivery_timestamp", "soon")],
        &[("scheduled_delivery_timestamp", "253402300800")],
    ] {
        attempt(wrong).bad_request();
    }
    for name in ["type", "to", "content", "scheduled_delivery_timestamp"] {
        let to = open.id();
        let pairs = [
            ("type", "channel"),
            ("to", to.as_str()),
            ("topic", "t"),
            ("content", "x"),
            ("scheduled_delivery_timestamp", later.as_str()),
        ];
        let pairs: Vec<_> = pairs.into_iter().filter(|(one, _)| *one != name).collect();
        let body = user.post("/scheduled_messages", &pairs);
        let body = body.error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], name);
    }
    assert!(list(&user, "scheduled_messages").is_empty());
}

#[test]
fn a_channel_message_without_a_topic_is_refused() {
    let user = server().user("member");
    let (to, at) = (
        fixture::channel(server(), ChannelKind::Public, &[&user]).id(),
        time(LATER),
    );
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("content", "x"),
        ("scheduled_delivery_timestamp", at.as_str()),
    ];
    let error = user.post("/scheduled_messages", &pairs).bad_request();
    assert!(error["msg"].as_str().unwrap().starts_with("Missing topic"));
    let pairs = [&pairs[..], &[("topic", "")]].concat();
    user.post("/scheduled_messages", &pairs).ok();
}

#[test]
fn long_content_and_topics_are_cut_and_the_empty_topic_has_two_more_names() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]).id();
    let long = schedule(
        &user,
        "channel",
        &channel,
        &"t".repeat(61),
        &"é".repeat(10_001),
    );
    let record = found(&user, long);
    assert_eq!(record["topic"], format!("{}...", "t".repeat(57)));
    let content = record["content"].as_str().unwrap();
    assert_eq!(content.chars().count(), 10_000);
    for name in ["(no topic)", "general chat", ""] {
        let id = schedule(&user, "channel", &channel, name, "x");
        assert_eq!(found(&user, id)["topic"], "", "{name:?}");
    }
}

#[test]
fn a_scheduled_message_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("member"), server().bot());
    let id = schedule(&other, "direct", &format!("[{}]", other.id()), "", "mine");
    for path in [
        format!("/scheduled_messages/{id}"),
        "/scheduled_messages/999999".to_owned(),
    ] {
        let missing = user.delete(&path, &[]).error(404, "BAD_REQUEST");
        let edited = user.patch(&path, &[("content", "x")]);
        assert_eq!(edited.error(404, "BAD_REQUEST"), missing);
    }
    assert_eq!(found(&other, id)["content"], "mine");
}
