//! Parameters of POST /register and the fields that are always present
//! (docs/protocol/register.md#parameters, docs/protocol/register.md#always,
//! docs/protocol/events.md#queues).

use spindle_tests::{Call, Queue};

use crate::support::{keys, server};

const EMPTY: [(&str, &str); 2] = [("event_types", "[]"), ("fetch_event_types", "[]")];

fn timeout(value: Option<&str>) -> i64 {
    let user = server().user("member");
    let mut pairs = EMPTY.to_vec();
    if let Some(value) = value {
        pairs.push(("idle_queue_timeout", value));
    }
    let body = user.post("/register", &pairs).ok();
    body["idle_queue_timeout_secs"].as_i64().expect("seconds")
}

#[test]
fn exactly_nine_fields_are_always_present() {
    let user = server().user("member");
    let body = user.post("/register", &EMPTY).ok();
    assert_eq!(
        keys(&body),
        [
            "idle_queue_timeout_secs",
            "last_event_id",
            "msg",
            "queue_id",
            "result",
            "service_feature_level",
            "zulip_feature_level",
            "zulip_merge_base",
            "zulip_version",
        ]
    );
    assert_eq!(body["last_event_id"], -1);
    assert_eq!(body["zulip_feature_level"], 496);
    assert_eq!(body["service_feature_level"], 496);
}

#[test]
fn the_idle_timeout_is_seconds_or_the_quoted_word_mobile() {
    assert_eq!(timeout(None), 600);
    assert_eq!(timeout(Some("0")), 600);
    assert_eq!(timeout(Some("900")), 900);
    assert_eq!(timeout(Some("\"mobile\"")), 43_200);
    assert_eq!(timeout(Some("604800")), 604_800);
    assert_eq!(timeout(Some("604801")), 604_800, "lowered, not refused");
    assert_eq!(timeout(Some("99999999")), 604_800);
}

#[test]
fn other_idle_timeouts_are_refused() {
    let user = server().user("member");
    for wrong in ["mobile", "-1", "1.5", "\"desktop\"", "true", "[600]", ""] {
        user.post("/register", &[("idle_queue_timeout", wrong)])
            .bad_request();
    }
}

/// The sections of the snapshot and the types of delivered events are independent of each other.
#[test]
fn fetch_types_select_the_snapshot_and_event_types_the_events() {
    let user = server().user("member");
    let pairs = [
        ("event_types", "[\"message\"]"),
        ("fetch_event_types", "[\"user_status\"]"),
    ];
    let mut queue = Queue::open(&user, &pairs);
    assert!(queue.state.get("user_status").is_some());
    assert!(queue.state.get("max_message_id").is_none());
    user.post("/users/me/status", &[("status_text", "not delivered")])
        .ok();
    let to = format!("[{}]", user.id());
    user.post(
        "/messages",
        &[("type", "direct"), ("to", &to), ("content", "delivered")],
    )
    .ok();
    let events = queue.until(|event| event["message"]["sender_id"] == user.user_id);
    assert_eq!(events[0]["id"], 0);
    assert!(events.iter().all(|event| event["type"] == "message"));
}

#[test]
fn without_fetch_types_the_event_types_select_the_snapshot() {
    let user = server().user("member");
    let body = user
        .post("/register", &[("event_types", "[\"message\"]")])
        .ok();
    assert!(body.get("max_message_id").is_some());
    assert!(body.get("realm_users").is_none());
    let body = user.post("/register", &[("event_types", "[]")]).ok();
    assert!(body.get("max_message_id").is_none());
}

#[test]
fn unknown_types_are_ignored() {
    let user = server().user("member");
    let types = "[\"no_such_type\", \"user_status\"]";
    let pairs = [("event_types", types), ("fetch_event_types", types)];
    let body = user.post("/register", &pairs).ok();
    assert!(body.get("user_status").is_some());
    assert!(body.get("realm_users").is_none());
}

#[test]
fn capabilities_are_an_object_of_booleans_and_unknown_ones_are_tolerated() {
    let user = server().user("member");
    let known = "{\"notification_settings_null\": true, \"from_the_future\": true}";
    user.post("/register", &[("client_capabilities", known)])
        .ok();
    for wrong in ["[]", "true", "{\"empty_topic_name\": 1}", "{", "\"x\""] {
        user.post("/register", &[("client_capabilities", wrong)])
            .bad_request();
    }
}

#[test]
fn presence_history_and_other_parameters_are_typed() {
    let user = server().user("member");
    user.post("/register", &[("presence_history_limit_days", "3")])
        .ok();
    user.post("/register", &[("presence_history_limit_days", "x")])
        .bad_request();
    user.post("/register", &[("client_gravatar", "null")]).ok();
    user.post(
        "/register",
        &[("slim_presence", "true"), ("client_gravatar", "false")],
    )
    .ok();
    user.post("/register", &[("slim_presence", "2")])
        .bad_request();
}

/// Further parameters of known clients are not refused.
#[test]
fn parameters_of_known_clients_are_accepted() {
    let user = server().user("member");
    let pairs = [
        ("narrow", "[]"),
        ("queue_lifespan_secs", "300"),
        ("all_public_streams", "false"),
    ];
    user.post("/register", &pairs).ok();
    let reply = user.send(Call::new("POST", "/register").multipart(&[("zzz", "1")]));
    assert_eq!(reply.ignored(), ["zzz"]);
}

#[test]
fn guests_may_not_ask_for_all_public_streams() {
    let guest = server().user("guest");
    guest
        .post("/register", &[("all_public_streams", "true")])
        .bad_request();
    guest
        .post("/register", &[("all_public_streams", "false")])
        .ok();
    server()
        .user("member")
        .post("/register", &[("all_public_streams", "true")])
        .ok();
}

#[test]
fn the_narrow_of_a_queue_accepts_few_operators() {
    let user = server().user("member");
    for good in [
        "[[\"channel\", \"x\"], [\"topic\", \"y\"]]",
        "[[\"stream\", \"x\"]]",
        "[[\"sender\", \"a@b.example\"]]",
        "[[\"is\", \"dm\"]]",
        "[[\"is\", \"private\"]]",
        "[[\"is\", \"mentioned\"]]",
        "[[\"is\", \"starred\"]]",
        "[[\"is\", \"unread\"]]",
    ] {
        user.post("/register", &[("narrow", good)]).ok();
    }
    for wrong in [
        "[[\"bogus\", \"x\"]]",
        "[[\"is\", \"bogus\"]]",
        "[[\"channel\"]]",
        "[[\"channel\", \"x\", \"y\"]]",
        "{}",
        "[1]",
        "[[1, 2]]",
        "[{\"operator\": \"channel\", \"operand\": \"x\", \"negated\": true}]",
    ] {
        let reply = user.post("/register", &[("narrow", wrong)]);
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.body);
    }
}

/// Older clients do not start without their settings at the top level.
#[test]
fn settings_are_included_under_their_former_fetch_types() {
    let user = server().user("member");
    for name in ["update_display_settings", "update_global_notifications"] {
        let types = format!("[\"{name}\"]");
        let body = user
            .post("/register", &[("fetch_event_types", &types)])
            .ok();
        assert_eq!(body["pm_content_in_desktop_notifications"], true, "{name}");
        assert!(body.get("twenty_four_hour_time").is_some(), "{name}");
    }
    let body = user.post("/register", &[]).ok();
    assert_eq!(body.get("pm_content_in_desktop_notifications"), None);
}
