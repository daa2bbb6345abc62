//! Delivery of scheduled messages and reminders: on time, once, also across crashes
//! (docs/protocol/scheduled.md#delivery). Each test has a server of its own, whose clock it moves.

use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, PATIENCE, Queue, Server, User, until_within};

/// The job that delivers due messages.
const DELIVERY: &str = "deliver-scheduled-messages";

fn schedule(server: &Server, user: &User, to: &str, from_now: i64, content: &str) -> Value {
    let time = (server.advance(0) + from_now).to_string();
    let kind = if to.starts_with('[') {
        "direct"
    } else {
        "channel"
    };
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", "later"),
        ("content", content),
        ("scheduled_delivery_timestamp", &time),
    ];
    user.post("/scheduled_messages", &pairs).ok()["scheduled_message_id"].clone()
}

fn waiting(user: &User) -> Vec<Value> {
    let body = user.get("/scheduled_messages", &[]).ok();
    body["scheduled_messages"].as_array().unwrap().clone()
}

/// Contents of all messages that the user can find, oldest first.
fn contents(user: &User) -> Vec<String> {
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1000"),
        ("num_after", "0"),
        ("apply_markdown", "false"),
    ];
    let body = user.get("/messages", &pairs).ok();
    let list = body["messages"].as_array().unwrap().iter();
    list.map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

/// Waits until delivery was attempted for everything that is due.
#[track_caller]
fn until(what: &str, met: impl Fn() -> bool) {
    spindle_tests::until(what, || met().then_some(()));
}

#[test]
fn a_message_is_sent_at_its_time() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user, &other]);
    schedule(&server, &user, &channel.id(), 100, "to the channel");
    let id = schedule(&server, &user, &format!("[{}]", other.id()), 200, "direct");
    let mut queue = Queue::of(&other, &["message"]);
    let mut own = Queue::of(&user, &["scheduled_messages", "message"]);
    server.advance_past_run(90, DELIVERY);
    assert_eq!(waiting(&user).len(), 2);
    server.advance(16);
    let event = queue.expect(|event| event["type"] == "message");
    let message = &event["message"];
    assert_eq!(message["content"], "to the channel");
    assert_eq!(message["subject"], "later");
    assert_eq!(message["sender_id"], user.user_id);
    let received = own.until(|event| event["op"] == "remove");
    assert_eq!(received[0]["message"]["id"], message["id"]);
    assert_eq!(received[1]["type"], "scheduled_messages");
    let left = waiting(&user);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["scheduled_message_id"], id);
    server.advance(100);
    let event = queue.expect(|event| event["type"] == "message");
    assert_eq!(event["message"]["content"], "direct");
    until("nothing is left", || waiting(&user).is_empty());
}

#[test]
fn every_message_is_sent_once_across_kills() {
    let mut server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let to = format!("[{}]", other.id());
    let expected: Vec<String> = (0..60).map(|number| format!("number {number}")).collect();
    for (number, content) in (0_i64..).zip(&expected) {
        schedule(&server, &user, &to, 60 + number / 3, content);
    }
    for round in 1..=6 {
        // Each start begins with the time of the machine.
        let before = waiting(&user).len();
        server.advance(60 + 3 * round);
        // After one of the messages that are due at least, and in the middle of the next one.
        until_within(PATIENCE, Duration::from_millis(1), "one is sent", || {
            let now = waiting(&user).len();
            (now < before || now == 0).then_some(())
        });
        server.kill();
        server.restart();
    }
    server.advance(60);
    until("all are sent", || {
        server.advance(5);
        waiting(&user).is_empty()
    });
    assert_eq!(contents(&other), expected);
}

#[test]
fn a_message_that_cannot_be_sent_is_marked_and_its_sender_notified() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let channel = fixture::channel(&server, ChannelKind::PrivateShared, &[&user, &other]);
    let id = schedule(&server, &user, &channel.id(), 100, "too secret");
    fixture::unsubscribe(&server, &user, &channel);
    let mut own = Queue::of(&user, &["scheduled_messages", "message"]);
    server.advance(106);
    let received = own.until(|event| event["type"] == "message");
    let failed = &received[0];
    assert_eq!(failed["op"], "update");
    assert_eq!(failed["scheduled_message"]["scheduled_message_id"], id);
    assert_eq!(failed["scheduled_message"]["failed"], true);
    let notice = &received[1];
    assert_eq!(notice["message"]["type"], "private");
    let text = notice["message"]["content"].as_str().unwrap();
    assert!(text.contains("too secret"), "{text}");
    // Delivery is not attempted again until the message gets a new time.
    server.advance_past_run(60, DELIVERY);
    assert_eq!(waiting(&user)[0]["failed"], true);
    fixture::subscribe(&server, &user, &channel);
    let time = (server.advance(0) + 20).to_string();
    let path = format!("/scheduled_messages/{id}");
    user.patch(&path, &[("scheduled_delivery_timestamp", &time)])
        .ok();
    server.advance(26);
    until("it is sent", || waiting(&user).is_empty());
    assert!(contents(&other).contains(&"too secret".to_owned()));
}

/// After an outage, the server does not send messages hours late.
#[test]
fn messages_more_than_ten_minutes_late_are_not_sent() {
    let mut server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let to = format!("[{}]", other.id());
    schedule(&server, &user, &to, 100, "a little late");
    schedule(&server, &user, &to, 101, "much too late");
    let late = "UPDATE scheduled_messages SET deliver_at = deliver_at - ?1 WHERE content = ?2";
    server.kill();
    for (seconds, content) in [(500, "a little late"), (1000, "much too late")] {
        let changed = server
            .database()
            .execute(late, rusqlite::params![seconds, content]);
        assert_eq!(changed, Ok(1));
    }
    server.restart();
    server.advance(10);
    until("both are tried", || {
        waiting(&user).iter().all(|one| one["failed"] == true)
    });
    assert_eq!(waiting(&user).len(), 1);
    assert_eq!(waiting(&user)[0]["content"], "much too late");
    assert_eq!(contents(&other), ["a little late"]);
}

#[test]
fn messages_of_deactivated_users_are_not_sent() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let to = format!("[{}]", other.id());
    schedule(&server, &user, &to, 50, "from beyond");
    server.admin(&["user", "deactivate", "--email", &user.email]);
    server.advance(56);
    let failed = || -> bool {
        let count: i64 = server
            .database()
            .query_row(
                "SELECT count(*) FROM scheduled_messages WHERE failure IS NOT NULL",
                [],
                |row| row.get(0),
            )
            .unwrap();
        count == 1
    };
    until("it has failed", failed);
    assert!(contents(&other).is_empty());
}

#[test]
fn a_reminder_comes_from_the_notification_bot() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let to = format!("[{}]", user.id());
    let pairs = [
        ("type", "direct"),
        ("to", to.as_str()),
        ("content", "later?"),
    ];
    let message = other.post("/messages", &pairs).ok()["id"].to_string();
    let time = (server.advance(0) + 100).to_string();
    let pairs = [
        ("message_id", message.as_str()),
        ("scheduled_delivery_timestamp", &time),
        ("note", "now!"),
    ];
    let id = user.post("/reminders", &pairs).ok()["reminder_id"].clone();
    let mut queue = Queue::of(&user, &["message", "reminders"]);
    server.advance(106);
    let received = queue.until(|event| event["type"] == "reminders");
    let message = &received[0]["message"];
    assert_ne!(message["sender_id"], user.user_id);
    assert_ne!(message["sender_id"], other.user_id);
    for part in ["later?", "now!"] {
        assert!(message["content"].as_str().unwrap().contains(part));
    }
    assert_eq!(
        (&received[1]["op"], &received[1]["reminder_id"]),
        (&json!("remove"), &id)
    );
    assert_eq!(user.get("/reminders", &[]).ok()["reminders"], json!([]));
}

/// Another status that was set in between stays.
#[test]
fn a_status_ends_at_its_time() {
    let server = Server::spawn(Options::default());
    let (user, other) = (server.user("member"), server.user("member"));
    let end = (server.advance(0) + 100).to_string();
    for person in [&user, &other] {
        let pairs = [
            ("status_text", "in a meeting"),
            ("emoji_name", "calendar"),
            ("scheduled_end_time", end.as_str()),
        ];
        person.post("/users/me/status", &pairs).ok();
    }
    let status = |person: &User| {
        let path = format!("/users/{}/status", person.id());
        user.get(&path, &[]).ok()["status"].clone()
    };
    let mut queue = Queue::of(&other, &["user_status"]);
    other
        .post("/users/me/status", &[("status_text", "at home")])
        .ok();
    server.advance(110);
    let ended = queue.expect(|event| event["user_id"] == user.user_id);
    let expected = json!({"id": ended["id"], "type": "user_status", "user_id": user.user_id,
        "status_text": "", "emoji_name": "", "emoji_code": "", "reaction_type": "unicode_emoji",
        "scheduled_end_time": null});
    assert_eq!(ended, expected);
    assert_eq!(status(&user), json!({}));
    assert_eq!(status(&other)["status_text"], "at home");
}

/// A notice does not show a restricted guest names of hidden users, although the notification bot can see them.
#[test]
fn notices_show_their_reader_no_hidden_names() {
    let server = Server::spawn(Options::default());
    server
        .database()
        .execute(
            "UPDATE group_settings SET group_id = (SELECT id FROM user_groups
                 WHERE name = 'role:members')
             WHERE owner_type = 'realm' AND name = 'can_access_all_users_group'",
            [],
        )
        .expect("a setting");
    let (guest, near, far) = (
        server.user("guest"),
        server.user("member"),
        server.user("member"),
    );
    let channel = fixture::channel(&server, ChannelKind::PrivateShared, &[&guest, &near]);
    let hidden = fixture::channel(&server, ChannelKind::PrivateShared, &[&far]);
    let text = format!(
        "@_**|{}** @**{}** #**{}** @_**|{}** #**{}**",
        far.user_id, far.full_name, hidden.name, near.user_id, channel.name
    );
    let to_self = format!("[{}]", guest.id());
    let pairs = [
        ("type", "direct"),
        ("to", to_self.as_str()),
        ("content", "x"),
    ];
    let message = guest.post("/messages", &pairs).ok()["id"].to_string();
    let time = (server.advance(0) + 50).to_string();
    let pairs = [
        ("message_id", message.as_str()),
        ("note", &text),
        ("scheduled_delivery_timestamp", &time),
    ];
    guest.post("/reminders", &pairs).ok();
    schedule(&server, &guest, &channel.id(), 100, &text);
    fixture::unsubscribe(&server, &guest, &channel);
    // The guest still sees the other one by this.
    let shared = fixture::channel(&server, ChannelKind::PrivateShared, &[&guest, &near]);
    let pairs = [
        ("event_types", r#"["message"]"#),
        ("apply_markdown", "true"),
    ];
    let mut queue = Queue::open(&guest, &pairs);
    for (seconds, sees_channel) in [(56, false), (50, false)] {
        server.advance(seconds);
        let event = queue.expect(|event| event["type"] == "message");
        let message = &event["message"];
        assert_eq!(message["sender_full_name"], "Notification Bot");
        let html = message["content"].as_str().unwrap();
        let mention = |user: &User| html.contains(&format!("data-user-id=\"{}\"", user.user_id));
        assert!(mention(&near), "{html}");
        assert!(!mention(&far), "{html}");
        assert_eq!(
            html.matches(&far.full_name).count(),
            1,
            "as it was written: {html}"
        );
        let links = |id: i64| html.contains(&format!("data-stream-id=\"{id}\""));
        assert!(!links(hidden.stream_id), "{html}");
        assert_eq!(links(channel.stream_id), sees_channel, "{html}");
    }
    assert_ne!(shared.stream_id, channel.stream_id);
}
