//! Notices of the notification bot about moves and reports
//! (docs/protocol/messages.md#report_message).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Call, Options, Queue, Server, User};

use super::edit_support::{age, listen, setting};
use super::{direct, to_channel};
use crate::support::{server, settle};

/// The bot's messages in a topic, oldest first, as Markdown.
fn said(user: &User, channel: &Channel, topic: &str) -> Vec<String> {
    let content = |message: &Value| message["content"].as_str().expect("content").to_owned();
    notices(user, channel, topic).iter().map(content).collect()
}

/// The messages of the bot in a topic, oldest first.
fn notices(user: &User, channel: &Channel, topic: &str) -> Vec<Value> {
    let narrow = json!([
        {"operator": "channel", "operand": channel.stream_id},
        {"operator": "topic", "operand": topic},
    ]);
    let narrow = narrow.to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
        ("narrow", &narrow),
    ];
    let body = user.get("/messages", &pairs).ok();
    let mut messages = body["messages"].as_array().expect("messages").clone();
    messages.retain(|message| message["sender_full_name"] == "Notification Bot");
    messages
}

fn named(user: &User) -> String {
    format!("@_**{}|{}**", user.full_name, user.user_id)
}

fn patch(user: &User, id: i64, pairs: &[(&str, &str)]) {
    user.patch(&format!("/messages/{id}"), pairs).ok();
}

#[test]
fn notices_of_moves_are_sent_where_the_mover_asks_for_them() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let who = named(&user);
    let spot = |topic: &str| format!("#**{}>{topic}**", channel.name);
    let id = to_channel(&user, &channel, "a", "x");
    patch(&user, id, &[("topic", "b")]);
    assert_eq!(
        said(&user, &channel, "b"),
        [format!(
            "This topic was moved here from {} by {who}.",
            spot("a")
        )]
    );
    assert_eq!(said(&user, &channel, "a"), [""; 0]);
    let id = to_channel(&user, &channel, "c", "x");
    to_channel(&user, &channel, "c", "stays");
    let silent = [
        ("topic", "d"),
        ("send_notification_to_new_thread", "false"),
        ("send_notification_to_old_thread", "true"),
    ];
    patch(&user, id, &silent);
    assert_eq!(said(&user, &channel, "d"), [""; 0]);
    assert_eq!(
        said(&user, &channel, "c"),
        [format!("A message was moved to {} by {who}.", spot("d"))]
    );
}

/// Users who can see only the other channel do not learn of a private one.
#[test]
fn notices_do_not_name_private_channels_to_outsiders() {
    let user = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    let id = to_channel(&user, &public, "t", "x");
    let stream = private.id();
    let pairs = [
        ("stream_id", stream.as_str()),
        ("send_notification_to_old_thread", "true"),
    ];
    patch(&user, id, &pairs);
    let received = said(&user, &public, "t");
    assert_eq!(received.len(), 1);
    assert!(!received[0].contains(&private.name), "{received:?}");
    let received = said(&user, &private, "t");
    assert!(received[0].contains(&public.name), "{received:?}");
}

#[test]
fn the_notice_of_resolving_is_read_for_the_user_who_resolved() {
    let user = server().user("member");
    let other = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let id = to_channel(&user, &channel, "t", "x");
    let all = ("propagate_mode", "change_all");
    patch(&user, id, &[("topic", "\u{2714} t"), all]);
    let who = named(&user);
    let resolved = format!("{who} has marked this topic as resolved.");
    assert_eq!(
        said(&user, &channel, "\u{2714} t"),
        std::slice::from_ref(&resolved)
    );
    // Later than a mistake is corrected.
    age(server(), last(&user, &channel, "\u{2714} t"), 100);
    patch(&user, id, &[("topic", "t"), all]);
    let opened = format!("{who} has marked this topic as unresolved.");
    assert_eq!(said(&user, &channel, "t"), [resolved, opened]);
    assert_eq!(unread(&other), [id], "no user follows the topic");
    assert_eq!(unread(&user), [id], "read for the user who resolved it");
}

/// The id of the bot's last message in a topic.
fn last(user: &User, channel: &Channel, topic: &str) -> i64 {
    let notices = notices(user, channel, topic);
    notices.last().expect("a notice")["id"].as_i64().unwrap()
}

/// Resolving by mistake leaves no trace, and neither does taking that back; once there is another message,
/// both are said.
#[test]
fn a_quick_unresolve_deletes_the_notice() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let id = to_channel(&user, &channel, "t", "x");
    let all = ("propagate_mode", "change_all");
    let mut queue = listen(&other);
    patch(&user, id, &[("topic", "\u{2714} t"), all]);
    let notice = last(&user, &channel, "\u{2714} t");
    patch(&other, id, &[("topic", "t"), all]);
    assert_eq!(said(&user, &channel, "t"), [""; 0]);
    let kinds: Vec<Value> = queue
        .until(|event| event["type"] == "delete_message")
        .iter()
        .filter(|event| event["type"] != "stream" && event["type"] != "user_status")
        .map(|event| event["type"].clone())
        .collect();
    assert_eq!(
        kinds,
        [
            "update_message",
            "message",
            "update_message",
            "delete_message"
        ]
    );
    user.get(&format!("/messages/{notice}"), &[]).bad_request();
    patch(&user, id, &[("topic", "\u{2714} t"), all]);
    to_channel(&user, &channel, "\u{2714} t", "not yet");
    patch(&user, id, &[("topic", "t"), all]);
    assert_eq!(said(&user, &channel, "t").len(), 2);
}

/// The mover's own notice arrives as read, without an event that says so once more; policies of the topic
/// come before the move.
#[test]
fn moving_a_topic_sends_its_events_in_order() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let id = to_channel(&user, &channel, "t", "x");
    let stream = channel.id();
    let follow = [
        ("stream_id", stream.as_str()),
        ("topic", "t"),
        ("visibility_policy", "3"),
    ];
    user.post("/user_topics", &follow).ok();
    let mut queues = [listen(&user), listen(&other)];
    let all = ("propagate_mode", "change_all");
    patch(&user, id, &[("topic", "b"), all]);
    let own = ["user_topic", "user_topic", "update_message", "message"];
    for (queue, expected) in queues.iter_mut().zip([&own[..], &own[2..]]) {
        let mut events = settle(queue);
        events.retain(|event| event["type"] != "stream");
        let kinds: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
        assert_eq!(kinds, expected);
        let flags = if expected.len() == 4 {
            json!(["read"])
        } else {
            json!([])
        };
        assert_eq!(events.last().unwrap()["flags"], flags);
    }
}

/// Ids of the unread messages in the one topic that has any.
fn unread(user: &User) -> Vec<i64> {
    let pairs = [
        (
            "fetch_event_types",
            r#"["message", "update_message_flags"]"#,
        ),
        ("event_types", "[]"),
    ];
    let state = user.post("/register", &pairs).ok();
    let ids = state["unread_msgs"]["streams"][0]["unread_message_ids"].clone();
    serde_json::from_value(ids).unwrap_or_default()
}

/// `resolved_topic_notice_auto_read_policy`
#[test]
fn a_setting_marks_notices_of_resolving_as_read() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    let table = [
        (None, false, false),
        (None, true, true),
        (Some("always"), true, false),
        (Some("except_followed"), false, false),
        (Some("except_followed"), true, true),
        (Some("never"), false, true),
    ];
    let readers: Vec<(User, Queue, bool)> = table
        .into_iter()
        .map(|(policy, follows, expected)| {
            let reader = server().user("member");
            fixture::subscribe(server(), &reader, &channel);
            if let Some(policy) = policy {
                let pair = ("resolved_topic_notice_auto_read_policy", policy);
                reader.patch("/settings", &[pair]).ok();
            }
            if follows {
                let stream = channel.id();
                let pairs = [
                    ("stream_id", stream.as_str()),
                    ("topic", "t"),
                    ("visibility_policy", "3"),
                ];
                reader.post("/user_topics", &pairs).ok();
            }
            let queue = Queue::of(&reader, &["message"]);
            (reader, queue, expected)
        })
        .collect();
    let all = ("propagate_mode", "change_all");
    patch(&user, id, &[("topic", "\u{2714} t"), all]);
    for (number, (reader, mut queue, is_unread)) in readers.into_iter().enumerate() {
        let event = queue.expect(|event| event["type"] == "message");
        let notice = event["message"]["id"].as_i64().expect("id");
        let flags = if is_unread {
            json!([])
        } else {
            json!(["read"])
        };
        assert_eq!(event["flags"], flags, "row {number}");
        assert_eq!(unread(&reader).contains(&notice), is_unread, "row {number}");
    }
}

#[test]
fn reports_are_sent_to_the_channel_for_reports() {
    let server = Server::start(Options::default());
    let user = server.user("member");
    let sender = server.user("member");
    let moderator = server.user("moderator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user, &sender]);
    let reports = fixture::channel(&server, ChannelKind::PrivateShared, &[&moderator]);
    let id = to_channel(&sender, &channel, "t", "buy ```this```");
    let path = format!("/messages/{id}/report");
    let spam = [("report_type", "spam"), ("description", "again")];
    // 1. parameters, 2. the message, 3. the setting, 4. requirements of the report type
    user.post(&path, &[]).error(400, "REQUEST_VARIABLE_MISSING");
    user.post(&path, &[("report_type", "dull")]).bad_request();
    let long = "d".repeat(1001);
    user.post(&path, &[("report_type", "spam"), ("description", &long)])
        .bad_request();
    let hidden = direct(&sender, &[&sender], "x");
    let hidden = user.post(&format!("/messages/{hidden}/report"), &spam);
    let missing = user.post("/messages/99999999/report", &spam);
    assert_eq!(hidden.bad_request(), missing.bad_request());
    user.post(&path, &spam).bad_request();
    setting(
        &server,
        "moderation_request_channel_id",
        json!(reports.stream_id),
    );
    user.post(&path, &[("report_type", "other")]).bad_request();
    // The Host header is not stored.
    let call = Call::new("POST", &path).form(&spam);
    user.send(call.header("Host", "evil.example")).ok();
    let topic = format!("reports: {}", sender.full_name);
    let received = said(&moderator, &reports, &topic);
    assert_eq!(received.len(), 1);
    for part in [
        named(&user).as_str(),
        &named(&sender),
        "**Spam**",
        "again",
        "buy ```this```",
        &format!("](/#narrow/near/{id})"),
    ] {
        assert!(received[0].contains(part), "{part} is not in {received:?}");
    }
    assert!(!received[0].contains("evil.example"), "{received:?}");
    let note = direct(&sender, &[&user], "psst");
    let other = [("report_type", "other"), ("description", "rude")];
    user.post(&format!("/messages/{note}/report"), &other).ok();
    assert!(said(&moderator, &reports, &topic)[1].contains("psst"));
    // The types that register announces are the accepted ones (level 435).
    let fetch = [("event_types", "[]"), ("fetch_event_types", "[\"realm\"]")];
    let state = user.post("/register", &fetch).ok();
    let types = state["server_report_message_types"].as_array().unwrap();
    assert!(types.len() > 2, "{types:?}");
    for kind in types {
        let kind = kind["key"].as_str().unwrap();
        user.post(&path, &[("report_type", kind), ("description", "x")])
            .ok();
    }
}
