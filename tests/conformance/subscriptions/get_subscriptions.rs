//! GET /users/me/subscriptions.

use serde_json::{Value, json};
use spindle_tests::User;
use spindle_tests::fixture::{self, ChannelKind};

use super::record;
use crate::support::{keys, server};

const PERSONAL: [&str; 9] = [
    "audible_notifications",
    "color",
    "desktop_notifications",
    "email_notifications",
    "in_home_view",
    "is_muted",
    "pin_to_top",
    "push_notifications",
    "wildcard_mentions_notify",
];

fn list(user: &User, extra: &[(&str, &str)]) -> Vec<Value> {
    let body = user.get("/users/me/subscriptions", extra).ok();
    body["subscriptions"].as_array().unwrap().clone()
}

#[test]
fn records_are_those_of_the_snapshot() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateProtected, &[&user]);
    let capabilities = "{\"notification_settings_null\": true, \"archived_channels\": true}";
    for subscribers in ["true", "false", "partial"] {
        let asked = ("include_subscribers", subscribers);
        let pairs = [
            ("fetch_event_types", "[\"subscription\"]"),
            ("event_types", "[]"),
            ("client_capabilities", capabilities),
            asked,
        ];
        let state = user.post("/register", &pairs).ok();
        let listed = list(&user, &[asked]);
        let of = |list: &[Value]| {
            let found = list.iter().find(|r| r["stream_id"] == channel.stream_id);
            found.cloned().expect("subscribed")
        };
        let registered = state["subscriptions"].as_array().unwrap();
        assert_eq!(of(&listed), of(registered));
        assert_eq!(listed.len(), registered.len());
    }
    let records = list(&user, &[]);
    let found = records.iter().find(|r| r["stream_id"] == channel.stream_id);
    let found = found.expect("subscribed");
    for name in PERSONAL {
        assert!(found.get(name).is_some(), "{name}");
    }
    assert!(!keys(found).contains(&"subscribers"));
    assert_eq!(found["is_archived"], false);
    assert_eq!(found["invite_only"], true);
    assert_eq!(found["subscriber_count"], 1);
}

#[test]
fn null_settings_stay_null() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let record = record(&user, channel.stream_id).unwrap();
    for name in PERSONAL.iter().filter(|name| name.contains("noti")) {
        assert_eq!(record[*name], Value::Null, "{name}");
    }
}

#[test]
fn archived_channels_are_listed() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    fixture::channel_column(server(), &channel, "is_archived", &1);
    assert_eq!(
        record(&user, channel.stream_id).unwrap()["is_archived"],
        true
    );
}

#[test]
fn only_own_subscriptions_are_listed() {
    let (user, other) = (server().user("member"), server().user("member"));
    let others = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let left = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    fixture::unsubscribe(server(), &user, &left);
    for channel in [others, left] {
        assert_eq!(record(&user, channel.stream_id), None);
    }
}

#[test]
fn only_active_subscribers_are_listed() {
    let (user, other, gone) = (
        server().user("member"),
        server().user("guest"),
        server().user("member"),
    );
    let channel = fixture::channel(
        server(),
        ChannelKind::PrivateShared,
        &[&user, &other, &gone],
    );
    server().admin(&["user", "deactivate", "--email", &gone.email]);
    for viewer in [&user, &other] {
        let record = record(viewer, channel.stream_id).unwrap();
        assert_eq!(record["subscribers"], json!([user.user_id, other.user_id]));
        assert_eq!(record["subscriber_count"], 2);
    }
}

/// Below 250 subscribers the list is complete; from 250 on it contains bots and recently active
/// users.
#[test]
fn large_channels_can_be_listed_in_part() {
    let (user, bot) = (server().user("member"), server().bot());
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &bot]);
    let idle = idle_people(248, &channel);
    let partial = |user: &User| {
        let records = list(user, &[("include_subscribers", "partial")]);
        let found = records
            .into_iter()
            .find(|r| r["stream_id"] == channel.stream_id);
        found.expect("subscribed")
    };
    let record = partial(&user);
    assert_eq!(record["subscriber_count"], 250);
    assert!(record.get("subscribers").is_none());
    let listed: Vec<i64> = serde_json::from_value(record["partial_subscribers"].clone()).unwrap();
    assert!(listed.contains(&user.user_id) && listed.contains(&bot.user_id));
    assert!(idle.iter().all(|id| !listed.contains(id)));
    let body = user.post(
        "/register",
        &[
            ("fetch_event_types", "[\"subscription\"]"),
            ("include_subscribers", "partial"),
        ],
    );
    let state = body.ok();
    let records = state["subscriptions"].as_array().unwrap();
    let found = records.iter().find(|r| r["stream_id"] == channel.stream_id);
    assert_eq!(found.unwrap()["partial_subscribers"], json!(listed));
    // Unsubscribed channels are listed in the same way.
    let outsider = server().user("member");
    let state = outsider.post(
        "/register",
        &[
            ("fetch_event_types", "[\"subscription\"]"),
            ("include_subscribers", "partial"),
        ],
    );
    let state = state.ok();
    let never = state["never_subscribed"].as_array().unwrap();
    let found = never.iter().find(|r| r["stream_id"] == channel.stream_id);
    assert_eq!(found.unwrap()["partial_subscribers"], json!(listed));
    // With one subscriber fewer, all of them are listed.
    server()
        .database()
        .execute(
            "UPDATE subscriptions SET active = 0 WHERE user_id = ?1 AND channel_id = ?2",
            [idle[0], channel.stream_id],
        )
        .unwrap();
    let record = partial(&user);
    assert_eq!(record["subscribers"].as_array().unwrap().len(), 249);
    assert!(record.get("partial_subscribers").is_none());
}

/// Channels of the test fixture have no creator; one with a creator is tested in `creation`.
#[test]
fn the_creator_of_a_channel_may_be_unknown() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let record = record(&user, channel.stream_id).unwrap();
    assert_eq!(record["creator_id"], Value::Null);
    let age = spindle_tests::unix_now() - record["date_created"].as_i64().unwrap();
    assert!((0..100).contains(&age), "{age}");
}

/// Subscribers who subscribed long ago and were never active since.
fn idle_people(count: usize, channel: &fixture::Channel) -> Vec<i64> {
    let database = server().database();
    let tx = database.transaction();
    let mut ids = Vec::new();
    for _ in 0..count {
        let name = spindle_tests::unique("idle");
        tx.execute(
            "INSERT INTO users (realm_id, email, email_folded, delivery_email,
                 delivery_email_folded, full_name, full_name_folded, role, date_joined)
             VALUES (1, ?1, ?1, ?1, ?1, ?1, ?1, 400, 0)",
            [&name],
        )
        .unwrap();
        ids.push(tx.last_insert_rowid());
        tx.execute(
            "INSERT INTO subscriptions (user_id, channel_id, color) VALUES (?1, ?2, '#000000')",
            [tx.last_insert_rowid(), channel.stream_id],
        )
        .unwrap();
    }
    tx.commit().unwrap();
    ids
}

#[test]
fn include_subscribers_is_a_plain_string() {
    let user = server().user("member");
    for wrong in ["\"partial\"", "True", "1", ""] {
        let pairs = [("include_subscribers", wrong)];
        user.get("/users/me/subscriptions", &pairs).bad_request();
    }
}
