//! The requests with which the Flutter app signs in and shows messages, in its order and its form,
//! and the fields that its decoders require in the answers (commit e989e4f of August 2026, feature
//! level 371 and newer).
//!
//! The app itself is not run: it needs a phone or an emulator. The app ends its sign-in when one of
//! these fields is missing or has another type. The fields of the registration are many, and have a
//! test of their own (`conformance/register/mobile_fields.rs`).

use std::time::{Duration, Instant};

use serde_json::Value;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Client, Server, unique};

const AGENT: &str = "ZulipFlutter/30.0.269+269 (Android 14)";
/// The oldest feature level that the app does not warn about.
const SUPPORTED: i64 = 371;

const SETTINGS: &str = "zulip_feature_level:int zulip_version:text zulip_merge_base:text \
    push_notifications_enabled:bool is_incompatible:bool email_auth_enabled:bool \
    require_email_format_usernames:bool realm_url:text realm_name:text realm_icon:text \
    realm_description:text realm_web_public_access_enabled:bool authentication_methods:object \
    external_authentication_methods:list";

const PAGE: &str = "anchor:int found_newest:bool found_oldest:bool found_anchor:bool \
    history_limited:bool messages:list";
const MESSAGE: &str = "client:text content:text content_type:text id:int is_me_message:bool \
    sender_email:text sender_full_name:text sender_id:int sender_realm_str:text timestamp:int \
    type:text flags:list reactions:list submessages:list subject:text stream_id:int \
    display_recipient:text";

/// Parameters of every registration of the app: the values of a form are JSON, apart from plain
/// strings.
const REGISTRATION: [(&str, &str); 5] = [
    ("idle_queue_timeout", "\"mobile\""),
    ("apply_markdown", "true"),
    ("client_gravatar", "false"),
    ("slim_presence", "true"),
    (
        "client_capabilities",
        r#"{"notification_settings_null":true,"bulk_message_deletion":true,
        "user_avatar_url_field_optional":true,"stream_typing_notifications":true,
        "user_settings_object":true,"include_deactivated_groups":true,"empty_topic_name":true,
        "individual_emoji_changes":true}"#,
    ),
];

/// Asserts that a value has these fields and that none of them is null.
#[track_caller]
fn has(value: &Value, fields: &str) {
    for field in fields.split_whitespace() {
        let (name, kind) = field.split_once(':').expect("a name and a type");
        let found = &value[name];
        let fits = match kind {
            "int" => found.is_i64(),
            "text" => found.is_string(),
            "bool" => found.is_boolean(),
            "list" => found.is_array(),
            "object" => found.is_object(),
            other => panic!("no type {other}"),
        };
        assert!(fits, "{name} is no {kind}: {found}");
    }
}

/// The same for each element of a list that is not empty.
#[track_caller]
fn each(list: &Value, fields: &str) {
    let elements = list.as_array().expect("a list");
    assert!(!elements.is_empty(), "an empty list: {fields}");
    for element in elements {
        has(element, fields);
    }
}

fn sent(client: &Client, call: Call) -> Value {
    client.send(call.header("User-Agent", AGENT)).ok()
}

/// The first event of a message. Other tests change the organization at the same time, so their events may come first.
fn message_event(app: &Client, snapshot: &Value) -> Value {
    let queue_id = snapshot["queue_id"].as_str().expect("a queue");
    let mut last = snapshot["last_event_id"].as_i64().expect("a position");
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        let position = last.to_string();
        let query = [("queue_id", queue_id), ("last_event_id", &*position)];
        let polled = sent(app, Call::new("GET", "/events").query(&query));
        for event in polled["events"].as_array().expect("events") {
            if event["type"] == "message" {
                return event.clone();
            }
            last = event["id"].as_i64().expect("an id");
        }
    }
    panic!("no message has arrived");
}

#[test]
fn the_flutter_app_finds_the_fields_that_it_requires() {
    let server = Server::shared();
    let password = unique("password ");
    let person = server.user_with("member", &["--password", &password]);
    let other = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&person, &other]);

    // Before the sign-in, the app identifies the server.
    let settings = sent(&server.anonymous(), Call::new("GET", "/server_settings"));
    has(&settings, SETTINGS);
    has(&settings["authentication_methods"], "ldap:bool");
    assert!(
        settings["zulip_feature_level"]
            .as_i64()
            .is_some_and(|level| level >= SUPPORTED)
    );
    assert_eq!(settings["is_incompatible"], false);
    let credentials = [("username", person.email.as_str()), ("password", &password)];
    let call = Call::new("POST", "/fetch_api_key").form(&credentials);
    let signed_in = sent(&server.anonymous(), call);
    has(&signed_in, "api_key:text email:text user_id:int");
    let key = signed_in["api_key"].as_str().expect("a key");
    let app = Client::new(server.base_url(), Some((&person.email, key)));

    let snapshot = sent(&app, Call::new("POST", "/register").form(&REGISTRATION));
    has(
        &snapshot,
        "queue_id:text last_event_id:int server_emoji_data_url:text",
    );
    // A suspended app keeps its queue for half a day.
    assert_eq!(snapshot["idle_queue_timeout_secs"], 43_200);
    let emoji = snapshot["server_emoji_data_url"]
        .as_str()
        .expect("an address");
    let path = emoji.strip_prefix(server.base_url()).unwrap_or(emoji);
    let names: Value = serde_json::from_slice(&app.fetch(path, &[]).bytes).expect("JSON");
    has(&names, "code_to_names:object");

    // A message of another user arrives by the queue, and is in the list of messages.
    let message = [
        ("type", "stream"),
        ("to", &channel.id()),
        ("topic", "phones"),
        ("content", "to a **phone**"),
    ];
    other.post("/messages", &message).ok();
    let event = message_event(&app, &snapshot);
    has(&event, "id:int message:object flags:list");
    let narrow = format!(r#"[{{"operator":"channel","operand":{}}}]"#, channel.id());
    let list = [
        ("narrow", narrow.as_str()),
        ("anchor", "first_unread"),
        ("num_before", "100"),
        ("num_after", "100"),
        ("client_gravatar", "false"),
        ("apply_markdown", "true"),
        ("allow_empty_topic_name", "true"),
    ];
    let page = sent(&app, Call::new("GET", "/messages").query(&list));
    has(&page, PAGE);
    each(&page["messages"], MESSAGE);
    assert_eq!(page["messages"][0]["type"], "stream");
}
