//! PATCH /scheduled_messages/{scheduled_message_id}
//! (docs/protocol/scheduled.md#edit_scheduled_message).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{LATER, found, schedule, time};
use crate::support::{server, settle};

fn edit(user: &User, id: i64, pairs: &[(&str, &str)]) -> Reply {
    user.patch(&format!("/scheduled_messages/{id}"), pairs)
}

/// A scheduled note of a user to themselves.
fn note(user: &User) -> i64 {
    schedule(user, "direct", &format!("[{}]", user.id()), "", "note")
}

fn fail(id: i64) {
    let database = server().database();
    let changed = database.execute(
        "UPDATE scheduled_messages SET failure = 'by a test' WHERE id = ?1",
        [id],
    );
    assert_eq!(changed, Ok(1));
}

#[test]
fn each_field_can_be_changed_alone_and_sends_an_event() {
    let user = server().user("member");
    let first = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let second = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = schedule(&user, "channel", &first.id(), "t", "x");
    let mut expected = found(&user, id);
    let mut queue = Queue::of(&user, &["scheduled_messages", "user_status"]);
    let later = time(LATER + 60);
    let to = second.id();
    let changes: [(&str, &str, Value); 4] = [
        ("content", "*y*", json!("*y*")),
        ("topic", " plans ", json!("plans")),
        ("to", &to, json!(second.stream_id)),
        (
            "scheduled_delivery_timestamp",
            &later,
            json!(later.parse::<i64>().unwrap()),
        ),
    ];
    for (name, value, stored) in changes {
        edit(&user, id, &[(name, value)]).ok();
        expected[name] = stored;
        if name == "content" {
            expected["rendered_content"] = json!("<p><em>y</em></p>");
        }
        assert_eq!(found(&user, id), expected, "{name}");
        let event = settle(&mut queue).pop().unwrap();
        assert_eq!(event["op"], "update");
        assert_eq!(event["scheduled_message"], expected);
    }
}

#[test]
fn the_type_changes_only_together_with_the_recipients() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let people = format!("[{}]", other.id());
    let to_channel = channel.id();
    for (direct, stream) in [("direct", "channel"), ("private", "stream")] {
        let id = schedule(&user, "channel", &to_channel, "t", "x");
        edit(
            &user,
            id,
            &[("type", direct), ("to", &people), ("topic", "ignored")],
        )
        .ok();
        let record = found(&user, id);
        assert_eq!(record["type"], "private");
        assert_eq!(record["to"], json!([other.user_id]));
        assert!(record.get("topic").is_none());
        // A direct message ignores the topic.
        edit(&user, id, &[("topic", "ignored")]).ok();
        assert_eq!(found(&user, id), record);
        edit(
            &user,
            id,
            &[("type", stream), ("to", &to_channel), ("topic", "u")],
        )
        .ok();
        let record = found(&user, id);
        assert_eq!(record["type"], "stream");
        assert_eq!(record["to"], channel.stream_id);
        assert_eq!(record["topic"], "u");
    }
}

/// Checks of the request alone precede the lookup of the message.
#[test]
fn the_checks_run_in_order() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]).id();
    let (own, missing) = (note(&user), 999_999);
    let past = time(-1);
    for id in [own, missing] {
        edit(&user, id, &[]).bad_request();
        // A type without a recipient is refused, even the unchanged type.
        edit(&user, id, &[("type", "direct")]).bad_request();
        edit(&user, id, &[("type", "channel"), ("to", &channel)]).bad_request();
        for time in [past.as_str(), "253402300800"] {
            edit(&user, id, &[("scheduled_delivery_timestamp", time)]).bad_request();
        }
    }
    let later = time(LATER);
    // The recipients are checked only for an existing message.
    for pairs in [
        &[("content", "x")] as &[(&str, &str)],
        &[("to", "999999")],
        &[("to", "[999999]")],
        &[("scheduled_delivery_timestamp", later.as_str())],
    ] {
        edit(&user, missing, pairs).error(404, "BAD_REQUEST");
    }
    assert_eq!(found(&user, own)["content"], "note");
}

#[test]
fn a_failed_message_needs_a_new_time_and_is_retried() {
    let user = server().user("member");
    let id = note(&user);
    fail(id);
    assert_eq!(found(&user, id)["failed"], true);
    edit(&user, id, &[("content", "again")]).bad_request();
    assert_eq!(found(&user, id)["content"], "note");
    let later = time(LATER);
    edit(&user, id, &[("scheduled_delivery_timestamp", &later)]).ok();
    assert_eq!(found(&user, id)["failed"], false);
    edit(&user, id, &[("content", "again")]).ok();
}

#[test]
fn invalid_recipients_change_nothing() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = schedule(&user, "channel", &channel.id(), "t", "x");
    let before = found(&user, id);
    for missing in [hidden.stream_id, 999_999] {
        let body = edit(&user, id, &[("to", &missing.to_string())]);
        let body = body.error(400, "STREAM_DOES_NOT_EXIST");
        assert_eq!(body["stream_id"], missing);
    }
    let direct = |to| edit(&user, id, &[("type", "direct"), ("to", to)]);
    let names_its_id = direct("[999999]").bad_request();
    assert!(names_its_id["msg"].as_str().unwrap().contains("999999"));
    for to in ["5", "[]", "[\"x@example.com\"]", "null", "[true]"] {
        direct(to).bad_request();
    }
    for to in ["[5]", "\"5\"", "general", "{}"] {
        edit(&user, id, &[("to", to)]).bad_request();
    }
    edit(&user, id, &[("topic", "a\u{7}b")]).bad_request();
    edit(&user, id, &[("content", " ")]).bad_request();
    assert_eq!(found(&user, id), before);
}

#[test]
fn the_topics_policy_applies_to_scheduled_messages() {
    let user = server().user("member");
    let demanding = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = schedule(&user, "channel", &demanding.id(), "t", "x");
    let policy = |value| {
        fixture::channel_column(server(), &demanding, "topics_policy", &value);
    };
    policy("disable_empty_topic");
    for empty in ["", "(no topic)", "general chat"] {
        edit(&user, id, &[("topic", empty)]).bad_request();
    }
    edit(&user, id, &[("topic", &"t".repeat(61))]).ok();
    assert_eq!(found(&user, id)["topic"], format!("{}...", "t".repeat(57)));
    policy("empty_topic_only");
    edit(&user, id, &[("topic", "other")]).bad_request();
    edit(&user, id, &[("topic", "(no topic)")]).ok();
    assert_eq!(found(&user, id)["topic"], "");
}

/// The permission to send is checked at delivery; changing the time alone does not check it.
#[test]
fn a_new_time_needs_no_permission_to_send() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = schedule(&user, "channel", &channel.id(), "t", "x");
    fixture::channel_permission(server(), &channel, "can_send_message_group", "role:nobody");
    edit(&user, id, &[("content", "y")]).bad_request();
    let later = time(LATER + 5);
    edit(&user, id, &[("scheduled_delivery_timestamp", &later)]).ok();
    edit(&user, id, &[("topic", "u")]).ok();
    assert_eq!(found(&user, id)["topic"], "u");
}

#[test]
fn long_text_of_a_scheduled_message_is_cut() {
    let user = server().user("member");
    let id = note(&user);
    let fitting = "é".repeat(10_000);
    edit(&user, id, &[("content", &fitting)]).ok();
    assert_eq!(found(&user, id)["content"], fitting.as_str());
    edit(&user, id, &[("content", &format!("{fitting}x"))]).ok();
    let content = found(&user, id)["content"].as_str().unwrap().to_owned();
    assert_eq!(content.chars().count(), 10_000);
    assert_ne!(content, fitting, "the text says that it was cut");
}
