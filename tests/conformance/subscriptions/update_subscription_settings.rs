//! POST /users/me/subscriptions/properties.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Reply, User};

use super::{listen, record, settle_about};
use crate::support::server;

fn set(user: &User, changes: &Value) -> Reply {
    let data = changes.to_string();
    let pairs = [("subscription_data", data.as_str())];
    user.post("/users/me/subscriptions/properties", &pairs)
}

fn one(user: &User, stream_id: i64, property: &str, value: Value) -> Reply {
    set(
        user,
        &json!([{"stream_id": stream_id, "property": property, "value": value}]),
    )
}

#[test]
fn every_property_is_stored_and_sent_in_an_event() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let mut queues = [&user, &other].map(listen);
    for (property, value) in [
        ("color", json!("#00ff7f")),
        ("pin_to_top", json!(true)),
        ("desktop_notifications", json!(true)),
        ("email_notifications", json!(false)),
        ("push_notifications", json!(true)),
        ("audible_notifications", json!(false)),
        ("wildcard_mentions_notify", json!(true)),
    ] {
        one(&user, channel.stream_id, property, value.clone()).ok();
        assert_eq!(record(&user, channel.stream_id).unwrap()[property], value);
        let events = settle_about(&mut queues[0], channel.stream_id);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0]["op"], "update");
        assert_eq!(events[0]["stream_id"], channel.stream_id);
        assert_eq!(events[0]["property"], property);
        assert_eq!(events[0]["value"], value);
    }
    assert!(settle_about(&mut queues[1], channel.stream_id).is_empty());
}

#[test]
fn muting_has_two_names() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let mut queue = listen(&user);
    for (property, value, muted) in [
        ("is_muted", true, true),
        ("in_home_view", true, false),
        ("in_home_view", false, true),
        ("is_muted", false, false),
    ] {
        one(&user, channel.stream_id, property, json!(value)).ok();
        let found = record(&user, channel.stream_id).unwrap();
        assert_eq!(found["is_muted"], muted);
        assert_eq!(found["in_home_view"], !muted);
        let received: Vec<(Value, Value)> = settle_about(&mut queue, channel.stream_id)
            .iter()
            .map(|event| (event["property"].clone(), event["value"].clone()))
            .collect();
        let expected = [
            (json!("is_muted"), json!(muted)),
            (json!("in_home_view"), json!(!muted)),
        ];
        assert_eq!(received, expected);
    }
}

#[test]
fn colours_are_normalised_in_the_event_too() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let mut queue = listen(&user);
    one(&user, channel.stream_id, "color", json!("#ABC")).ok();
    assert_eq!(
        settle_about(&mut queue, channel.stream_id)[0]["value"],
        "#aabbcc"
    );
}

#[test]
fn either_all_changes_apply_or_none() {
    let user = server().user("member");
    let one = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let two = fixture::channel(server(), ChannelKind::Public, &[]);
    let mut queue = listen(&user);
    let entry = |id: i64, property: &str, value: Value| json!({"stream_id": id, "property": property, "value": value});
    let good = entry(one.stream_id, "pin_to_top", json!(true));
    for wrong in [
        entry(two.stream_id, "pin_to_top", json!(true)),
        entry(one.stream_id, "no_such_thing", json!(true)),
        entry(one.stream_id, "pin_to_top", json!("true")),
        entry(one.stream_id, "pin_to_top", Value::Null),
        entry(one.stream_id, "color", json!("blue")),
        entry(one.stream_id, "color", json!(true)),
        entry(one.stream_id, "is_muted", json!("#aabbcc")),
    ] {
        set(&user, &json!([good, wrong])).bad_request();
    }
    assert_eq!(record(&user, one.stream_id).unwrap()["pin_to_top"], false);
    assert!(settle_about(&mut queue, one.stream_id).is_empty());
    set(
        &user,
        &json!([good, entry(one.stream_id, "is_muted", json!(true))]),
    )
    .ok();
    assert_eq!(settle_about(&mut queue, one.stream_id).len(), 3);
    set(&user, &json!([])).ok();
}

/// The property and the value are checked before the channel.
#[test]
fn properties_are_checked_before_the_channel() {
    let user = server().user("member");
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[]);
    for id in [hidden.stream_id, 999_999] {
        one(&user, id, "nonsense", json!(true)).bad_request();
        one(&user, id, "is_muted", json!("x")).bad_request();
        let body = one(&user, id, "is_muted", json!(true)).error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(body["stream_id"], id);
    }
    let left = fixture::channel(server(), ChannelKind::Public, &[&user]);
    fixture::unsubscribe(server(), &user, &left);
    one(&user, left.stream_id, "is_muted", json!(true)).bad_request();
}

#[test]
fn the_list_is_strict_but_accepts_further_keys() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let path = "/users/me/subscriptions/properties";
    user.post(path, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    for wrong in [
        "{}".to_owned(),
        "[1]".to_owned(),
        "[{}]".to_owned(),
        json!([{"stream_id": "1", "property": "is_muted", "value": true}]).to_string(),
        json!([{"stream_id": channel.stream_id, "property": "is_muted"}]).to_string(),
    ] {
        user.post(path, &[("subscription_data", &wrong)])
            .bad_request();
    }
    let more = json!([{"stream_id": channel.stream_id, "property": "is_muted", "value": true,
        "more": 1}]);
    set(&user, &more).ok();
}

/// Unread messages of a muted channel are not counted.
#[test]
fn muting_a_channel_excludes_it_from_the_unread_count() {
    let (user, other) = (fixture::hermit(server(), "member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", &to),
        ("topic", "t"),
        ("content", "x"),
    ];
    other.post("/messages", &pairs).ok();
    let count = || {
        let fetch = "[\"message\", \"update_message_flags\"]";
        let state = user.post("/register", &[("fetch_event_types", fetch)]).ok();
        state["unread_msgs"]["count"].clone()
    };
    assert_eq!(count(), 1);
    one(&user, channel.stream_id, "is_muted", json!(true)).ok();
    assert_eq!(count(), 0);
}
