//! Reads that are as large, or as slow, as an account can request.

use serde_json::{Value, json};
use spindle_tests::Server;
use spindle_tests::fixture::{self, ChannelKind};

use crate::attack::{Attack, Work};
use crate::attacker::{Attacker, at_once};
use crate::scene;

const MESSAGES: usize = 10_000;

/// Two members in a channel with many messages.
fn readers(server: &Server, content: &str) -> Vec<Attacker> {
    let users = [server.user("member"), server.user("member")];
    let channel = fixture::channel(server, ChannelKind::Public, &[&users[0], &users[1]]);
    scene::messages(server, &channel, &users[0], MESSAGES, content);
    let attackers = users.iter().map(|user| Attacker::of(server, user));
    attackers.collect()
}

/// Requests 5,000 messages of a narrow repeatedly.
fn asking(readers: Vec<Attacker>, narrows: Vec<Value>) -> Work {
    let narrows: Vec<String> = narrows.iter().map(Value::to_string).collect();
    Box::new(move |is_over| {
        at_once(&readers, 8, is_over, |reader, number| {
            let pairs = [
                ("anchor", "newest"),
                ("num_before", "5000"),
                ("num_after", "0"),
                ("narrow", narrows[number % narrows.len()].as_str()),
            ];
            reader.call(is_over, "GET", "/messages", &pairs);
        });
    })
}

/// Each answer has several megabytes.
pub const LARGE: Attack = Attack::new("large pages of messages", |server| {
    let readers = readers(server, "printf('%.800c', 'x') || ' ' || i");
    asking(readers, vec![json!([])])
});

/// Words that every message contains, prefixes of words, and words that no message contains.
pub const SEARCHES: Attack = Attack::new("expensive searches", |server| {
    let readers = readers(
        server,
        "'every word of a text ' || i || ' ' || hex(randomblob(100))",
    );
    let search = |text: &str| json!([["search", text]]);
    asking(
        readers,
        vec![
            search("every word of text"),
            search("a* b* c* e* w* t* 1* 2*"),
            search(&"every ".repeat(300)),
            search("\"every word\" \"of a text\" nowhere"),
            json!([["search", "every"], ["has", "link"], ["is", "starred"]]),
        ],
    )
});

#[test]
fn expensive_searches_are_withstood() {
    SEARCHES.is_withstood();
}
