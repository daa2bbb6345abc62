//! POST /user_topics and PATCH /users/me/subscriptions/muted_topics
//! (docs/protocol/topics.md#set_user_topic, docs/protocol/topics.md#mute_topic), with the sections
//! `user_topics` and `muted_topics` and the events of the same names.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{section, without_ids};
use crate::support::{server, settle};

const LEGACY: &str = "/users/me/subscriptions/muted_topics";

#[track_caller]
fn set(user: &User, channel: &Channel, topic: &str, policy: &str) -> Reply {
    let id = channel.id();
    let pairs = [
        ("stream_id", id.as_str()),
        ("topic", topic),
        ("visibility_policy", policy),
    ];
    user.post("/user_topics", &pairs)
}

/// The section, without times: `(channel, topic, policy)`.
fn policies(user: &User) -> Vec<(i64, String, i64)> {
    let state = section(user, "user_topic");
    let list = state["user_topics"].as_array().unwrap().iter();
    list.map(|item| {
        assert!(item["last_updated"].as_i64().unwrap() > 1_000_000_000);
        (
            item["stream_id"].as_i64().unwrap(),
            item["topic_name"].as_str().unwrap().to_owned(),
            item["visibility_policy"].as_i64().unwrap(),
        )
    })
    .collect()
}

fn muted(user: &User) -> Vec<(String, String)> {
    let state = section(user, "muted_topics");
    let list = state["muted_topics"].as_array().unwrap().iter();
    list.map(|item| {
        (
            item[0].as_str().unwrap().to_owned(),
            item[1].as_str().unwrap().to_owned(),
        )
    })
    .collect()
}

#[test]
fn every_policy_is_set_changed_and_removed() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = channel.stream_id;
    for policy in ["1", "2", "3"] {
        set(&user, &channel, "tea", policy).ok();
        let expected = (id, "tea".to_owned(), policy.parse().unwrap());
        assert_eq!(policies(&user), [expected]);
        assert_eq!(muted(&user).is_empty(), policy != "1");
    }
    // Case does not matter; the last spelling is kept.
    set(&user, &channel, " TEA ", "1").ok();
    assert_eq!(policies(&user), [(id, "TEA".to_owned(), 1)]);
    assert_eq!(muted(&user), [(channel.name.clone(), "TEA".to_owned())]);
    set(&user, &channel, "tea", "0").ok();
    set(&user, &channel, "tea", "0").ok();
    assert!(policies(&user).is_empty() && muted(&user).is_empty());
}

#[test]
fn parameters_are_checked_in_order() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = channel.id();
    let missing = |pairs: &[(&str, &str)], name: &str| {
        let body = user
            .post("/user_topics", pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], name);
    };
    missing(&[], "stream_id");
    missing(&[("stream_id", &id)], "topic");
    missing(&[("stream_id", &id), ("topic", "x")], "visibility_policy");
    let long = "x".repeat(61);
    for (topic, policy) in [
        ("x", "4"),
        ("x", "-1"),
        ("x", "\"1\""),
        (long.as_str(), "1"),
        ("a\u{7}", "1"),
    ] {
        set(&user, &channel, topic, policy).bad_request();
    }
    // The limit applies after trimming, and a topic is refused, never cut.
    let longest = "ä".repeat(60);
    set(&user, &channel, &format!(" {longest} "), "3").ok();
    assert_eq!(policies(&user), [(channel.stream_id, longest, 3)]);
}

#[test]
fn hidden_channels_look_missing_but_policies_in_them_can_be_removed() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &other]);
    set(&other, &hidden, "t", "1").ok();
    assert_eq!(muted(&other), [(hidden.name.clone(), "t".to_owned())]);
    fixture::unsubscribe(server(), &other, &hidden);
    assert!(muted(&other).is_empty(), "the name is no longer disclosed");
    let missing = Channel {
        stream_id: 999_999_999,
        ..hidden.clone()
    };
    for channel in [&hidden, &missing] {
        for policy in ["0", "2"] {
            let body = set(&other, channel, "u", policy).error(400, "STREAM_DOES_NOT_EXIST");
            assert_eq!(body["stream_id"], channel.stream_id);
        }
    }
    set(&other, &hidden, "t", "2").error(400, "STREAM_DOES_NOT_EXIST");
    set(&other, &hidden, "T", "0").ok();
    assert!(policies(&other).is_empty());
}

#[test]
fn the_empty_topic_has_its_name_for_clients_that_need_one() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let open = |capable: bool, types: &str| {
        let capabilities = format!("{{\"empty_topic_name\": {capable}}}");
        let pairs = [
            ("event_types", types),
            ("client_capabilities", &capabilities),
        ];
        Queue::open(&user, &pairs)
    };
    let types = "[\"user_topic\", \"user_status\"]";
    let legacy_types = "[\"muted_topics\", \"user_status\"]";
    let mut queues = [
        (open(false, types), "topic_name", "general chat"),
        (open(true, types), "topic_name", ""),
        (open(false, legacy_types), "muted_topics", "general chat"),
        (open(true, legacy_types), "muted_topics", ""),
    ];
    for name in ["", "general chat", "(no topic)"] {
        set(&user, &channel, name, "1").ok();
    }
    assert_eq!(policies(&user).len(), 1);
    for (queue, field, name) in &mut queues {
        let events = settle(queue);
        assert_eq!(events.len(), 1, "{events:?}");
        let found = match *field {
            "topic_name" => &events[0]["topic_name"],
            _ => &events[0]["muted_topics"][0][1],
        };
        assert_eq!(found, name);
    }
    for (capable, name) in [(false, "general chat"), (true, "")] {
        let state = open(capable, types).state;
        assert_eq!(state["user_topics"][0]["topic_name"], name);
        let state = open(capable, legacy_types).state;
        assert_eq!(state["muted_topics"][0][1], name);
    }
}

#[test]
fn events_go_to_the_user_only_and_only_for_changes() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let types = ["user_topic", "user_status"];
    let (mut own, mut others) = (Queue::of(&user, &types), Queue::of(&other, &types));
    let mut legacy = Queue::of(&user, &["muted_topics", "user_status"]);
    let mut both = Queue::of(&user, &["muted_topics", "user_topic", "user_status"]);
    for policy in ["1", "1", "3", "0", "0"] {
        set(&user, &channel, "tea", policy).ok();
    }
    let mine = |events: Vec<Value>, kind: &str| -> Vec<Value> {
        let events = without_ids(events).into_iter();
        events.filter(|event| event["type"] == kind).collect()
    };
    let events = mine(settle(&mut own), "user_topic");
    let time = |number: usize| events[number]["last_updated"].clone();
    let expected = |number: usize, policy: i64| {
        json!({"type": "user_topic", "stream_id": channel.stream_id, "topic_name": "tea",
            "last_updated": time(number), "visibility_policy": policy})
    };
    assert_eq!(events, [expected(0, 1), expected(1, 3), expected(2, 0)]);
    assert!(
        settle(&mut others)
            .iter()
            .all(|event| event["type"] == "user_status")
    );
    assert_eq!(
        mine(settle(&mut legacy), "muted_topics"),
        [
            json!({"type": "muted_topics", "muted_topics": [[channel.name, "tea", time(0)]]}),
            json!({"type": "muted_topics", "muted_topics": []}),
        ]
    );
    // The newer event type replaces the older one.
    let events = settle(&mut both);
    assert_eq!(mine(events.clone(), "user_topic").len(), 3);
    assert!(mine(events, "muted_topics").is_empty());
}

#[test]
fn the_snapshot_leaves_muted_topics_out_beside_user_topic() {
    let user = server().user("member");
    let state = |types: &str| user.post("/register", &[("fetch_event_types", types)]).ok();
    let both = state("[\"muted_topics\", \"user_topic\"]");
    assert!(both.get("muted_topics").is_none() && both["user_topics"].is_array());
    let everything = user.post("/register", &[]).ok();
    assert!(everything["muted_topics"].is_array() && everything["user_topics"].is_array());
}

#[test]
fn older_clients_mute_by_name_or_id_repeatedly() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = channel.id();
    let by_id = |op: &str| {
        let pairs = [("stream_id", id.as_str()), ("topic", "tea"), ("op", op)];
        user.patch(LEGACY, &pairs)
    };
    let by_name = |op: &str| {
        let pairs = [
            ("stream", channel.name.as_str()),
            ("topic", "tea"),
            ("op", op),
        ];
        user.patch(LEGACY, &pairs)
    };
    for _ in 0..2 {
        by_id("add").ok();
        by_name("add").ok();
        assert_eq!(policies(&user), [(channel.stream_id, "tea".to_owned(), 1)]);
    }
    for _ in 0..2 {
        by_name("remove").ok();
        by_id("remove").ok();
        assert!(policies(&user).is_empty());
    }
    by_id("ADD").bad_request();
    let missing = |pairs: &[(&str, &str)], name: &str| {
        let body = user
            .patch(LEGACY, pairs)
            .error(400, "REQUEST_VARIABLE_MISSING");
        assert_eq!(body["var_name"], name);
    };
    missing(&[("op", "add"), ("stream_id", &id)], "topic");
    missing(&[("topic", "x"), ("stream_id", &id)], "op");
    missing(&[("topic", "x"), ("op", "add")], "stream_id");
    let pairs = [
        ("stream_id", id.as_str()),
        ("stream", &channel.name),
        ("topic", "x"),
        ("op", "add"),
    ];
    let body = user.patch(LEGACY, &pairs).bad_request();
    assert_eq!(body["parameters"], "stream_id, stream");
    let pairs = [("stream", "no such channel"), ("topic", "x"), ("op", "add")];
    let body = user
        .patch(LEGACY, &pairs)
        .error(400, "STREAM_DOES_NOT_EXIST");
    assert_eq!(body["stream"], "no such channel");
    assert!(policies(&user).is_empty());
}
