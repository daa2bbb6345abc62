//! POST /messages that a client or a proxy repeats (docs/protocol/messages.md#send_message).

use serde_json::Value;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, User};

use crate::support::server;

/// Sends with the local id `1.01` of a queue; returns the id of the message.
fn send(user: &User, queue: &str, channel: &Channel, content: &str) -> Value {
    let to = channel.id().to_string();
    let pairs = [
        ("type", "channel"),
        ("to", to.as_str()),
        ("topic", "repeated"),
        ("content", content),
        ("queue_id", queue),
        ("local_id", "1.01"),
    ];
    user.post("/messages", &pairs).ok()["id"].clone()
}

fn queue(user: &User) -> Queue {
    Queue::open(
        user,
        &[
            ("event_types", "[\"message\"]"),
            ("fetch_event_types", "[]"),
        ],
    )
}

#[test]
fn a_repeated_send_is_one_message_while_the_queue_lives() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let mut first = queue(&user);
    let id = send(&user, &first.queue_id, &channel, "once");
    assert_eq!(send(&user, &first.queue_id, &channel, "once"), id);
    // Simple clients use a local id again, for another message.
    let other = send(&user, &first.queue_id, &channel, "another");
    assert_ne!(other, id);
    assert_eq!(send(&user, &first.queue_id, &channel, "once"), id);
    let second = queue(&user);
    let third = send(&user, &second.queue_id, &channel, "once");
    assert_ne!(third, id, "another queue is another client");
    let events = first.until(|event| event["message"]["id"] == third);
    let ids: Vec<&Value> = events.iter().map(|event| &event["message"]["id"]).collect();
    assert_eq!(ids, [&id, &other, &third]);
    let path = format!("/messages/{id}");
    user.delete(&path, &[]).ok();
    assert_eq!(
        send(&user, &first.queue_id, &channel, "once"),
        id,
        "it stays deleted"
    );
    user.get(&path, &[]).error(400, "BAD_REQUEST");
    user.delete("/events", &[("queue_id", first.queue_id.as_str())])
        .ok();
    assert_ne!(send(&user, &first.queue_id, &channel, "once"), id);
}

/// A send of another account that names the queue makes a message of its own, and leaves nothing by which
/// the owner's send would be taken for a repetition.
#[test]
fn another_accounts_send_is_no_repetition() {
    let (user, other) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other]);
    let own = queue(&user);
    let theirs = send(&other, &own.queue_id, &channel, "once");
    let id = send(&user, &own.queue_id, &channel, "once");
    assert_ne!(id, theirs);
    assert_ne!(send(&other, &own.queue_id, &channel, "once"), id);
}

#[test]
fn repeated_at_the_same_time_it_is_one_message() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let queue = queue(&user);
    let ids: Vec<Value> = std::thread::scope(|scope| {
        let sends: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| send(&user, &queue.queue_id, &channel, "once")))
            .collect();
        sends.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}
