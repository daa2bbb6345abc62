//! Changes of many messages in one request: flags, and topics that are resolved and reopened.

use spindle_tests::fixture::{self, ChannelKind};

use crate::attack::Attack;
use crate::attacker::{Attacker, at_once};
use crate::scene;

const MESSAGES: usize = 10_000;

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

#[test]
fn flags_on_many_messages_are_withstood() {
    OF_MANY.is_withstood();
}
