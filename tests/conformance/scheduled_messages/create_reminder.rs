//! POST, GET and DELETE /reminders (docs/protocol/scheduled.md#create_reminder,
//! docs/protocol/scheduled.md#get_reminders).

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, Reply, User};

use super::{LATER, list, time};
use crate::support::{keys, server, settle};

fn say(user: &User, channel: &fixture::Channel, content: &str) -> String {
    let to = channel.id();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "plans"),
        ("content", content),
    ];
    user.post("/messages", &pairs).ok()["id"].to_string()
}

fn remind(user: &User, message_id: &str, later: i64, note: &str) -> Reply {
    let time = time(later);
    let pairs = [
        ("message_id", message_id),
        ("scheduled_delivery_timestamp", &time),
        ("note", note),
    ];
    user.post("/reminders", &pairs)
}

#[test]
fn a_reminder_is_created_listed_and_deleted() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let message = say(&other, &channel, "read this");
    let mut queue = Queue::of(&user, &["reminders", "user_status"]);
    let id = remind(&user, &message, LATER, "before lunch").ok()["reminder_id"].clone();
    let records = list(&user, "reminders");
    let [record] = &records[..] else {
        panic!("one reminder: {records:?}");
    };
    assert_eq!(
        keys(record),
        [
            "content",
            "failed",
            "reminder_id",
            "reminder_target_message_id",
            "rendered_content",
            "scheduled_delivery_timestamp",
            "to",
            "type"
        ]
    );
    assert_eq!(record["type"], "private");
    assert_eq!(record["to"], json!([user.user_id]));
    assert_eq!(record["reminder_target_message_id"].to_string(), message);
    let content = record["content"].as_str().unwrap();
    for part in ["read this", "before lunch", &other.full_name, &channel.name] {
        assert!(content.contains(part), "{part}: {content}");
    }
    assert!(list(&user, "scheduled_messages").is_empty());
    user.delete(&format!("/reminders/{id}"), &[]).ok();
    user.delete(&format!("/reminders/{id}"), &[])
        .error(404, "BAD_REQUEST");
    assert!(list(&user, "reminders").is_empty());
    let events = settle(&mut queue);
    assert_eq!(events[0]["op"], "add");
    assert_eq!(events[0]["reminders"], json!(records));
    assert_eq!(events[1]["op"], "remove");
    assert_eq!(events[1]["reminder_id"], id);
}

#[test]
fn invalid_reminders_are_refused() {
    let (user, other) = (server().user("member"), server().user("member"));
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    let open = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let (secret, message) = (say(&other, &hidden, "x"), say(&other, &open, "x"));
    let foreign = remind(&user, &secret, LATER, "").bad_request();
    assert_eq!(remind(&user, "999999999", LATER, "").bad_request(), foreign);
    remind(&user, &message, 0, "").bad_request();
    remind(&user, &message, -5, "").bad_request();
    remind(&user, &message, 253_402_300_800, "").bad_request();
    remind(&user, &message, LATER, &"x".repeat(501)).bad_request();
    remind(&user, "soon", LATER, "").bad_request();
    let missing = user.post("/reminders", &[("message_id", &message)]);
    let missing = missing.error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "scheduled_delivery_timestamp");
    assert!(list(&user, "reminders").is_empty());
    remind(&user, &message, LATER, &"é".repeat(500)).ok();
}

#[test]
fn a_reminder_of_another_user_looks_like_a_missing_one() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let message = say(&other, &channel, "x");
    let id = remind(&other, &message, LATER, "").ok()["reminder_id"].clone();
    user.delete(&format!("/reminders/{id}"), &[])
        .error(404, "BAD_REQUEST");
    assert_eq!(list(&other, "reminders").len(), 1);
}

/// The reminder of a deleted message is deleted, because it would show the message.
#[test]
fn a_reminder_is_deleted_with_its_message() {
    let owner = server().user("owner");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&owner]);
    let message = say(&owner, &channel, "x");
    let id = remind(&owner, &message, LATER, "").ok()["reminder_id"].clone();
    let mut queue = Queue::of(&owner, &["reminders", "user_status"]);
    owner.delete(&format!("/messages/{message}"), &[]).ok();
    assert!(list(&owner, "reminders").is_empty());
    let events = settle(&mut queue);
    assert_eq!(events[0]["op"], "remove");
    assert_eq!(events[0]["reminder_id"], id);
}

/// The names of a topic and of a person are no markup in the words of the bot.
#[test]
fn names_in_reminders_are_no_markup() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let to = channel.id();
    let topic = "t** [Sign in](http://evil.example) **";
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", topic),
        ("content", "x"),
    ];
    let message = other.post("/messages", &pairs).ok()["id"].to_string();
    remind(&user, &message, LATER, "").ok();
    let record = &list(&user, "reminders")[0];
    let expected = format!("`{}` > `{topic}`", channel.name);
    assert!(record["content"].as_str().unwrap().contains(&expected));
    let html = record["rendered_content"].as_str().unwrap();
    assert!(!html.contains("href=\"http://evil"), "{html}");
}
