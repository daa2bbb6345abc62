//! Down-conversion by client capability, in the snapshot (docs/protocol/events.md#capabilities,
//! docs/protocol/traps.md#no-capabilities).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User};

use crate::support::server;

fn with(user: &User, capabilities: &Value, types: &str) -> Value {
    let pairs = [
        ("event_types", "[]"),
        ("fetch_event_types", types),
        ("client_capabilities", &capabilities.to_string()),
    ];
    user.post("/register", &pairs).ok()
}

#[test]
fn null_notification_settings_need_the_capability() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let names = [
        "desktop_notifications",
        "email_notifications",
        "push_notifications",
        "audible_notifications",
        "wildcard_mentions_notify",
    ];
    let record = |capabilities: &Value| {
        let body = with(&user, capabilities, "[\"subscription\"]");
        let list = body["subscriptions"].as_array().unwrap().clone();
        list.into_iter()
            .find(|item| item["stream_id"] == channel.stream_id)
            .unwrap()
    };
    let new = record(&json!({"notification_settings_null": true}));
    let old = record(&json!({"notification_settings_null": false}));
    for name in names {
        assert!(new[name].is_null(), "{name}: {}", new[name]);
        assert!(old[name].is_boolean(), "{name}: {}", old[name]);
    }
    fixture::user_setting(server(), &user, "enable_stream_email_notifications", "true");
    assert_eq!(
        record(&json!({}))["email_notifications"],
        true,
        "the user's own default"
    );
}

#[test]
fn archived_channels_need_the_capability() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    fixture::channel_column(server(), &channel, "is_archived", &1);
    let listed = |capabilities: &Value| {
        let body = with(&user, capabilities, "[\"subscription\", \"stream\"]");
        [
            "subscriptions",
            "unsubscribed",
            "never_subscribed",
            "streams",
        ]
        .iter()
        .any(|list| {
            let items = body[*list].as_array().unwrap();
            items
                .iter()
                .any(|item| item["stream_id"] == channel.stream_id)
        })
    };
    assert!(!listed(&json!({"archived_channels": false})));
    assert!(listed(&json!({"archived_channels": true})));
}

/// Without the capability the empty topic is sent under the organization's name for it.
#[test]
fn the_empty_topic_has_a_name_for_old_clients() {
    let user = server().user("member");
    let sender = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &sender]);
    let register = |capabilities: &str| {
        let pairs = [
            ("event_types", "[\"message\"]"),
            (
                "fetch_event_types",
                "[\"message\", \"update_message_flags\"]",
            ),
            ("client_capabilities", capabilities),
        ];
        Queue::open(&user, &pairs)
    };
    let mut new = register("{\"empty_topic_name\": true}");
    let mut old = register("{}");
    let pairs = [
        ("type", "channel"),
        ("to", &channel.name),
        ("topic", ""),
        ("content", "x"),
    ];
    let id = sender.post("/messages", &pairs).ok()["id"].clone();
    let subject = |queue: &mut Queue| {
        queue.expect(|event| event["message"]["id"] == id)["message"]["subject"].clone()
    };
    assert_eq!(subject(&mut new), "");
    assert_eq!(subject(&mut old), "general chat");
    let topic = |queue: Queue| {
        let streams = queue.state["unread_msgs"]["streams"].clone();
        let list = streams.as_array().unwrap().clone();
        list.into_iter()
            .find(|item| item["stream_id"] == channel.stream_id)
            .unwrap()["topic"]
            .clone()
    };
    assert_eq!(topic(register("{\"empty_topic_name\": true}")), "");
    assert_eq!(topic(register("{}")), "general chat");
}

/// Legacy presence is keyed by address, the slim form by id.
#[test]
fn presences_have_a_legacy_and_a_slim_form() {
    let user = server().user("member");
    let types = ("fetch_event_types", "[\"presence\"]");
    let slim = user
        .post("/register", &[types, ("slim_presence", "true")])
        .ok();
    let legacy = user.post("/register", &[types]).ok();
    assert!(slim["server_timestamp"].is_number());
    for (key, value) in slim["presences"].as_object().unwrap() {
        assert!(key.parse::<i64>().is_ok(), "{key}");
        assert!(value["active_timestamp"].is_i64() || value["idle_timestamp"].is_i64());
    }
    for (key, value) in legacy["presences"].as_object().unwrap() {
        assert!(key.contains('@'), "{key}");
        assert!(value["aggregated"].is_object());
    }
}
