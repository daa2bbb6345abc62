//! Changes of many messages at once: flags, and topics that are resolved and reopened.

use spindle_tests::Options;
use spindle_tests::fixture::{self, ChannelKind};

use crate::attack::Attack;
use crate::attacker::{Attacker, at_once};
use crate::scene;

const MESSAGES: usize = 10_000;
const TOPIC: usize = 25_000;

pub const OF_MANY: Attack = Attack::new("marks on many messages", |server| {
    let user = server.user("member");
    let channel = fixture::channel(server, ChannelKind::Public, &[&user]);
    scene::messages(server, &channel, &user, MESSAGES, "'text ' || i");
    let attackers = [Attacker::of(server, &user)];
    let channel = channel.id();
    Box::new(move |is_over| {
        at_once(&attackers, 4, is_over, |member, number| {
            let op = ["add", "remove"][number / 4 % 2];
            let narrow = [
                ("anchor", "newest"),
                ("num_before", "5000"),
                ("num_after", "0"),
                ("narrow", "[]"),
                ("op", op),
                ("flag", ["read", "starred"][number % 2]),
            ];
            member.call(is_over, "POST", "/messages/flags/narrow", &narrow);
            let pairs = [("stream_id", channel.as_str())];
            member.call(is_over, "POST", "/mark_stream_as_read", &pairs);
        });
    })
});

/// A topic of 25,000 messages is resolved, reopened and renamed, which changes every message.
pub const TOPICS: Attack = Attack::new("a large topic that is resolved and renamed", |server| {
    let user = server.user("moderator");
    let channel = fixture::channel(server, ChannelKind::Public, &[&user]);
    let (_, last) = scene::messages(server, &channel, &user, TOPIC, "'text ' || i");
    let attackers = [Attacker::of(server, &user)];
    let path = format!("/messages/{last}");
    Box::new(move |is_over| {
        at_once(&attackers, 1, is_over, |moderator, number| {
            let topic = ["\u{2714} large", "large", "renamed", "large"][number % 4];
            let pairs = [("topic", topic), ("propagate_mode", "change_all")];
            moderator.call(is_over, "PATCH", &path, &pairs);
        });
    })
})
.on(Options::default);

#[test]
fn flags_on_many_messages_are_withstood() {
    OF_MANY.is_withstood();
}

#[test]
fn resolving_and_renaming_a_large_topic_is_withstood() {
    TOPICS.is_withstood();
}
