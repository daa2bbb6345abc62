//! POST /messages: many concurrent requests. No error, no duplicate, and the order of ids is the
//! order of delivery.

use std::collections::BTreeSet;

use serde_json::Value;
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::{Queue, User};

use super::to_channel;
use crate::support::server;

const THREADS: usize = 8;
const MESSAGES: usize = 25;

/// Sends from all threads concurrently; returns the ids in the answers, by thread in order.
fn storm(senders: &[&User], channel: &Channel, topic: &str) -> Vec<Vec<i64>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let sender = senders[number % senders.len()];
                scope.spawn(move || -> Vec<i64> {
                    let text = |count| format!("{number} {count}");
                    let send = |count| to_channel(sender, channel, topic, &text(count));
                    (0..MESSAGES).map(send).collect()
                })
            })
            .collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().expect("a sender"));
        done.collect()
    })
}

/// The messages of a queue in the order of delivery.
fn delivered(queue: &mut Queue) -> Vec<Value> {
    let mut messages = Vec::new();
    while messages.len() < THREADS * MESSAGES {
        let events = queue.wait();
        let of_message = events
            .into_iter()
            .filter(|event| event["type"] == "message");
        messages.extend(of_message.map(|event| event["message"].clone()));
    }
    messages
}

fn check(answered: Vec<Vec<i64>>, queue: &mut Queue) {
    for ids in &answered {
        assert!(ids.is_sorted(), "in the order of one sender: {ids:?}");
    }
    let all: BTreeSet<i64> = answered.into_iter().flatten().collect();
    assert_eq!(all.len(), THREADS * MESSAGES, "no id twice");
    let messages = delivered(queue);
    let mut ids: Vec<i64> = messages
        .iter()
        .map(|message| message["id"].as_i64().expect("id"))
        .collect();
    if server().database().is_postgres() {
        // Ids are drawn before transactions commit, in another order.
        ids.sort_unstable();
    }
    assert_eq!(ids, all.into_iter().collect::<Vec<i64>>());
    let texts: BTreeSet<&str> = messages
        .iter()
        .map(|message| message["content"].as_str().expect("content"))
        .collect();
    assert_eq!(texts.len(), THREADS * MESSAGES, "no text twice");
}

/// The new topic is created and followed once, with one event.
#[test]
fn one_account_sends_many_messages_into_a_new_topic() {
    let (sender, reader) = (server().user("member"), server().user("member"));
    let channel = fixture::channel(server(), ChannelKind::Public, &[&sender, &reader]);
    let mut queue = Queue::of(&reader, &["message"]);
    let mut own = Queue::of(&sender, &["user_topic", "stream"]);
    check(storm(&[&sender], &channel, "new"), &mut queue);
    let received = own.poll();
    let of = |kind: &str, property: &str| {
        let fits = |event: &&Value| {
            event["type"] == kind
                && event["property"] == property
                && event["stream_id"] == channel.stream_id
        };
        received.iter().filter(fits).count()
    };
    assert_eq!(of("stream", "first_message_id"), 1);
    let followed = received
        .iter()
        .filter(|event| event["type"] == "user_topic");
    assert_eq!(followed.count(), 1);
}

#[test]
fn many_accounts_send_into_one_topic() {
    let senders: Vec<User> = (0..THREADS).map(|_| server().user("member")).collect();
    let everybody: Vec<&User> = senders.iter().collect();
    let channel = fixture::channel(server(), ChannelKind::Public, &everybody);
    let mut queue = Queue::of(&senders[0], &["message"]);
    check(storm(&everybody, &channel, "one"), &mut queue);
}

/// A conversation that does not exist yet is created once.
#[test]
fn many_accounts_begin_the_same_conversation_at_once() {
    let (one, other) = (server().user("member"), server().user("member"));
    let recipients: BTreeSet<i64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (from, to) = if number % 2 == 0 {
                    (&one, &other)
                } else {
                    (&other, &one)
                };
                scope.spawn(move || {
                    let id = super::direct(from, &[to], "hello");
                    super::read(from, id)["recipient_id"]
                        .as_i64()
                        .expect("an id")
                })
            })
            .collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().expect("a sender"));
        done.collect()
    });
    assert_eq!(recipients.len(), 1);
}
