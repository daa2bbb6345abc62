//! Messages beyond their retention period (docs/protocol/messages.md#delete_message,
//! docs/protocol/events.md#delete_message, `message_retention_days`, FL 452). The test backdates
//! messages in the database and runs the timer by the test clock.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Client, Options, PATIENCE, Queue, Server, User, until, until_within};

const DAY: i64 = 86_400;
/// Longer than the interval of the timer.
const TURN: u64 = 61;

fn send(user: &User, kind: &str, to: &str, topic: &str, content: &str) -> i64 {
    let pairs = [
        ("type", kind),
        ("to", to),
        ("topic", topic),
        ("content", content),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].as_i64();
    id.expect("id")
}

fn to_channel(user: &User, channel: &Channel, topic: &str) -> i64 {
    send(user, "channel", &channel.id(), topic, "x")
}

fn direct(user: &User, other: &User) -> i64 {
    send(user, "direct", &format!("[{}]", other.id()), "", "x")
}

/// Backdates a message by this many seconds.
fn age(server: &Server, id: i64, seconds: i64) {
    let changed = server.database().execute(
        "UPDATE messages SET date_sent = ?2 WHERE id = ?1",
        [id, server.advance(0) - seconds],
    );
    assert_eq!(changed, Ok(1));
}

fn keep(owner: &User, channel: &Channel, days: &str) {
    let path = format!("/streams/{}", channel.stream_id);
    owner.patch(&path, &[("message_retention_days", days)]).ok();
}

/// The messages that still exist.
fn left(server: &Server, ids: &[i64]) -> Vec<i64> {
    let database = server.database();
    let is_left = |id: &&i64| {
        let sql = "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?1)";
        database.query_row(sql, [**id], |row| row.get(0)).unwrap()
    };
    ids.iter().filter(is_left).copied().collect()
}

/// Lets the timer run, which deletes an old message of the test's own after those of all other
/// channels, and waits until exactly these messages are left.
#[track_caller]
fn turn(server: &Server, ids: &[i64], expected: &[i64]) {
    let owner = server.user("owner");
    let channel = fixture::channel(server, ChannelKind::PrivateShared, &[&owner]);
    fixture::channel_column(server, &channel, "message_retention_days", &1);
    let sentinel = to_channel(&owner, &channel, "t");
    age(server, sentinel, 2 * DAY);
    let mut looks = 0;
    until(&format!("exactly {expected:?} are left"), || {
        // A timer that has just started may have missed the last run.
        if looks % 50 == 0 {
            server.advance(TURN);
        }
        looks += 1;
        let is_over = left(server, &[sentinel]).is_empty();
        (is_over && left(server, ids) == expected).then_some(())
    });
}

fn listen(user: &Client, bulk: bool) -> Queue {
    let capabilities = json!({"bulk_message_deletion": bulk, "empty_topic_name": true}).to_string();
    let pairs = [
        (
            "event_types",
            r#"["delete_message", "stream", "attachment", "reminders"]"#,
        ),
        ("fetch_event_types", "[]"),
        ("client_capabilities", &capabilities),
    ];
    Queue::open(user, &pairs)
}

/// Events about one channel and about users, without ids.
fn heard(queue: &mut Queue, channel: &Channel) -> Vec<Value> {
    let mut events = queue.poll();
    events.retain(|event| event["stream_id"].is_null() || event["stream_id"] == channel.stream_id);
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("id");
    }
    events
}

#[test]
fn messages_are_deleted_after_their_retention_period() {
    let server = Server::spawn(Options::default());
    let (owner, other) = (server.user("owner"), server.user("member"));
    let channel = || fixture::channel(&server, ChannelKind::Public, &[&owner, &other]);
    let (own, inherits, unlimited) = (channel(), channel(), channel());
    let archived = channel();
    keep(&owner, &own, "7");
    keep(&owner, &unlimited, "unlimited");
    let mut ids = Vec::new();
    for place in [
        Some(&own),
        Some(&inherits),
        Some(&unlimited),
        None,
        Some(&archived),
    ] {
        for seconds in [8 * DAY, 6 * DAY, 0] {
            let id = match place {
                Some(channel) => to_channel(&other, channel, "t"),
                None => direct(&owner, &other),
            };
            age(&server, id, seconds);
            ids.push(id);
        }
    }
    let path = format!("/streams/{}", archived.stream_id);
    owner.delete(&path, &[]).ok();
    // The organization keeps all messages; one channel does not.
    turn(&server, &ids, &ids[1..]);
    other
        .get(&format!("/messages/{}", ids[0]), &[])
        .bad_request();
    let narrow = json!([
        {"operator": "channel", "operand": own.stream_id},
        {"operator": "topic", "operand": "t"}
    ])
    .to_string();
    let pairs = [
        ("anchor", "oldest"),
        ("num_before", "0"),
        ("num_after", "10"),
        ("narrow", narrow.as_str()),
    ];
    let body = other.get("/messages", &pairs).ok();
    assert_eq!(body["messages"][0]["id"], ids[1]);
    assert_eq!(body["history_limited"], false);
    // A message is kept until it is seven days old.
    age(&server, ids[1], 7 * DAY - 3000);
    turn(&server, &ids, &ids[1..]);
    server.advance(3000);
    turn(&server, &ids, &ids[2..]);
    // Direct messages, and channels without a period of their own, use the organization's.
    owner
        .patch("/realm", &[("message_retention_days", "7")])
        .ok();
    let kept: Vec<i64> = [2, 4, 5, 6, 7, 8, 10, 11, 13, 14]
        .map(|number: usize| ids[number])
        .into();
    turn(&server, &ids, &kept);
    keep(&owner, &unlimited, "realm_default");
    let kept: Vec<i64> = kept.into_iter().filter(|id| *id != ids[6]).collect();
    turn(&server, &ids, &kept);
    owner
        .patch("/realm", &[("message_retention_days", "unlimited")])
        .ok();
    age(&server, ids[4], 1000 * DAY);
    turn(&server, &ids, &kept);
}

#[test]
fn only_readers_receive_the_deletion_of_expired_messages() {
    let server = Server::spawn(Options::default());
    let owner = server.user("owner");
    let [member, late, outsider] = ["member", "member", "guest"].map(|role| server.user(role));
    let channel = fixture::channel(&server, ChannelKind::PrivateProtected, &[&owner, &member]);
    let first = to_channel(&owner, &channel, "one");
    fixture::subscribe(&server, &late, &channel);
    let second = to_channel(&owner, &channel, "two");
    let third = to_channel(&owner, &channel, "one");
    let young = to_channel(&owner, &channel, "one");
    let secret = direct(&owner, &member);
    let ids = [first, second, third, young, secret];
    let time = (server.advance(0) + 10_000).to_string();
    let pairs = [
        ("message_id", second.to_string()),
        ("scheduled_delivery_timestamp", time),
    ];
    let pairs = pairs
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let reminder = late.post("/reminders", &pairs).ok()["reminder_id"].clone();
    for id in [first, second, third, secret] {
        age(&server, id, 9 * DAY);
    }
    let mut queues = [&owner, &late, &outsider].map(|user| listen(user, true));
    let mut single = listen(&member, false);
    owner
        .patch("/realm", &[("message_retention_days", "8")])
        .ok();
    turn(&server, &ids, &[young]);
    let place = |topic: &str, ids: Value| {
        json!({"type": "delete_message", "message_type": "stream", "message_ids": ids,
            "stream_id": channel.stream_id, "topic": topic})
    };
    let begins = json!({"type": "stream", "op": "update", "stream_id": channel.stream_id,
        "name": channel.name, "property": "first_message_id", "value": young});
    let direct =
        json!({"type": "delete_message", "message_type": "private", "message_ids": [secret]});
    assert_eq!(
        heard(&mut queues[0], &channel),
        [
            place("one", json!([first, third])),
            place("two", json!([second])),
            begins.clone(),
            direct.clone()
        ]
    );
    // Messages sent before they subscribed were never delivered to them.
    assert_eq!(
        heard(&mut queues[1], &channel),
        [
            json!({"type": "reminders", "op": "remove", "reminder_id": reminder}),
            place("one", json!([third])),
            place("two", json!([second])),
            begins
        ]
    );
    assert_eq!(heard(&mut queues[2], &channel), [Value::Null; 0]);
    let received: Vec<Value> = heard(&mut single, &channel)
        .into_iter()
        .filter(|event| event["type"] == "delete_message")
        .map(|event| event["message_id"].clone())
        .collect();
    assert_eq!(received, [first, third, second, secret]);
    let rows: i64 = server
        .database()
        .query_row(
            "SELECT count(*) FROM user_messages WHERE message_id NOT IN (SELECT id FROM messages)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(rows, 0);
}

/// Deletion works in batches; each batch is complete with its events, or has not happened.
#[test]
fn batches_are_bounded_and_survive_kills() {
    let mut server = Server::spawn(Options::default());
    let owner = server.user("owner");
    let people: Vec<User> = (0..24).map(|_| server.user("member")).collect();
    let mut everybody: Vec<&User> = people.iter().collect();
    everybody.push(&owner);
    let channel = fixture::channel(&server, ChannelKind::Public, &everybody);
    let small = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    let mut ids: Vec<i64> = (0..250)
        .map(|_| to_channel(&owner, &channel, "t"))
        .collect();
    ids.extend((0..150).map(|_| to_channel(&owner, &small, "t")));
    let young = to_channel(&owner, &channel, "t");
    let sql = "UPDATE messages SET date_sent = date_sent - 864000 WHERE id <= ?1";
    let changed = server.database().execute(sql, [young - 1]);
    assert!(changed.is_ok_and(|changed| changed >= ids.len()));
    let mut queue = listen(&owner, true);
    keep(&owner, &channel, "5");
    keep(&owner, &small, "5");
    for _ in 0..3 {
        let before = left(&server, &ids).len();
        server.advance(TURN);
        // After a batch, and in the middle of the next one.
        until_within(
            PATIENCE,
            Duration::from_millis(1),
            "a batch is deleted",
            || {
                let now = left(&server, &ids).len();
                (now < before || now == 0).then_some(())
            },
        );
        server.kill();
        server.restart();
    }
    ids.push(young);
    turn(&server, &ids, &[young]);
    ids.pop();
    let mut received: Vec<i64> = Vec::new();
    for event in queue.poll() {
        if event["type"] != "delete_message" {
            continue;
        }
        let batch: Vec<i64> = serde_json::from_value(event["message_ids"].clone()).unwrap();
        // 100 messages, or 2,000 deliveries.
        let most = if event["stream_id"] == channel.stream_id {
            80
        } else {
            100
        };
        assert!(batch.len() <= most, "{} at once", batch.len());
        received.extend(batch);
    }
    assert_eq!(received.len(), ids.len(), "each is in one event");
    let received: BTreeSet<i64> = received.into_iter().collect();
    assert_eq!(received, ids.iter().copied().collect());
    let findings = server.admin(&["check"]);
    assert_eq!(findings["findings"], json!([]), "{findings}");
}

#[test]
fn files_are_deleted_with_the_last_message_that_referenced_them() {
    let server = Server::spawn(Options::default());
    let (owner, user) = (server.user("owner"), server.user("member"));
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner, &user]);
    let upload = user.upload("/user_uploads", "old.txt", b"hello").ok();
    let url = upload["url"].as_str().expect("url").to_owned();
    let text = format!("see [this]({url})");
    let id = send(&user, "channel", &channel.id(), "t", &text);
    age(&server, id, 100 * DAY);
    server
        .database()
        .execute(
            "UPDATE attachments SET create_time = create_time - 8640000",
            [],
        )
        .expect("an old file");
    let mut queue = listen(&user, true);
    keep(&owner, &channel, "90");
    turn(&server, &[id], &[]);
    let received = queue.until(|event| event["type"] == "attachment");
    assert_eq!(received.last().expect("an event")["op"], "remove");
    assert_ne!(user.fetch(&url, &[]).status, 200);
    assert_eq!(user.get("/attachments", &[]).ok()["attachments"], json!([]));
}
