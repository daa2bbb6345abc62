//! The compiled size of all linkifiers is bounded, so that no list makes requests fail
//! (docs/protocol/linkifiers.md#add_linkifier, docs/LIMITS.md).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Reply, Server, User};

use super::{FILTERS, ids, record};

/// A pattern that is large when it is compiled.
fn large(number: usize) -> String {
    format!(r"K{number}(?P<id>\w{{1,20}})")
}

fn try_add(user: &User, pattern: &str) -> Reply {
    let pairs = [
        ("pattern", pattern),
        ("url_template", "https://t.example/{id}"),
    ];
    user.post(FILTERS, &pairs)
}

/// Adds large patterns until no more fit; returns how many there are.
fn fill(user: &User) -> usize {
    for number in 0..500 {
        let reply = try_add(user, &large(number));
        if reply.status != 200 {
            let body = reply.bad_request();
            let errors = body["errors"]["__all__"].as_array().expect("the whole");
            assert!(
                errors[0].as_str().expect("text").contains("4 MiB"),
                "{body}"
            );
            return number;
        }
    }
    panic!("500 patterns of a megabyte each were accepted");
}

/// Every operation that renders content or topics works; returns the message that was sent.
#[track_caller]
fn works(user: &User, channel: &str, text: &str) -> Value {
    let pairs = [
        ("type", "channel"),
        ("to", channel),
        ("topic", text),
        ("content", text),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].clone();
    let path = format!("/messages/{id}");
    user.post("/messages/render", &[("content", text)]).ok();
    let edited = format!("{text} edited");
    user.patch(&path, &[("content", &edited)]).ok();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "5"),
        ("num_after", "0"),
    ];
    user.get("/messages", &pairs).ok();
    user.get(&path, &[]).ok()["message"].clone()
}

#[test]
fn a_full_list_ends_no_request() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]).id();
    let count = fill(&admin);
    assert!(count >= 3, "{count}");
    let message = works(&admin, &channel, "K0abc");
    let link = "<a href=\"https://t.example/abc\">K0abc</a>";
    assert_eq!(message["content"], format!("<p>{link} edited</p>"));
    assert_eq!(message["topic_links"][0]["url"], "https://t.example/abc");

    // A refused change has no effect.
    let before = ids(&admin);
    try_add(&admin, &large(900)).bad_request();
    assert_eq!(ids(&admin), before);
    // A change that makes the list smaller is possible, and there is room then.
    let last = *before.last().expect("one");
    let path = format!("{FILTERS}/{last}");
    admin
        .patch(&path, &[("pattern", "small(?P<id>[0-9]+)")])
        .ok();
    assert_eq!(record(&admin, last)["pattern"], "small(?P<id>[0-9]+)");
    for number in 0..100 {
        try_add(&admin, &format!("P{number}-(?P<id>[0-9]+)")).ok();
    }
    let larger = r"L(?P<id>\w{1,22}\w{1,22})";
    admin.patch(&path, &[("pattern", larger)]).bad_request();
    assert_eq!(record(&admin, last)["pattern"], "small(?P<id>[0-9]+)");
    works(&admin, &channel, "P99-17");
}

/// Puts linkifiers into the database.
fn store(server: &Server, patterns: impl Iterator<Item = String>) {
    for (position, pattern) in patterns.enumerate() {
        let sql = format!(
            "INSERT INTO linkifiers (realm_id, position, pattern, url_template) \
             VALUES (1, {position}, '{pattern}', 'https://t.example/{{id}}')"
        );
        server.database().execute_batch(&sql).expect("a row");
    }
    let version = "UPDATE realms SET linkifiers_version = 'older'";
    server.database().execute_batch(version).expect("a version");
}

/// Time is bounded as well as memory: a search costs the size of its pattern for each character.
#[test]
fn nested_repetitions_end_no_request() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]).id();
    for end in "bcdefghij".chars() {
        let pattern = format!("(?P<id>((a{{1,10}}){{1,10}}){{1,10}}){{1,9}}{end}");
        if try_add(&admin, &pattern).status != 200 {
            break;
        }
    }
    assert!(!ids(&admin).is_empty());
    let text = "a".repeat(9_000);
    let message = works(&admin, &channel, &text);
    assert_eq!(message["content"], format!("<p>{text} edited</p>"));
}

/// Linkifiers and a page of the greatest size have room in one instance.
#[test]
fn a_full_list_and_a_full_page_have_room_together() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]);
    store(
        &server,
        (0..500).map(|number| format!("P{number}-(?P<id>[0-9]+)")),
    );
    // A character of four bytes, both in the text and in its HTML.
    let text = "\u{1d54a}".repeat(9_900);
    for number in 0..240 {
        let topic = format!("P{number}-17");
        let pairs = [
            ("type", "channel"),
            ("to", &*channel.id()),
            ("topic", &topic),
            ("content", &text),
        ];
        admin.post("/messages", &pairs).ok();
    }
    for apply_markdown in ["true", "false"] {
        let pairs = [
            ("anchor", "newest"),
            ("num_before", "1000"),
            ("num_after", "0"),
            ("apply_markdown", apply_markdown),
        ];
        let page = admin.get("/messages", &pairs).ok();
        let messages = page["messages"].as_array().expect("messages");
        assert!(messages.len() > 100, "{}", messages.len());
        let link = &messages[messages.len() - 1]["topic_links"][0];
        assert_eq!(link["url"], "https://t.example/17");
    }
}

/// A list from before the limit: the first linkifiers still work.
#[test]
fn older_lists_above_the_bound_are_searched_for_in_part() {
    let server = Server::own(Options::default());
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]).id();
    store(&server, (0..63).map(large));
    let message = works(&admin, &channel, "K0abc K62abc");
    let expected = "<p><a href=\"https://t.example/abc\">K0abc</a> K62abc edited</p>";
    assert_eq!(message["content"], expected);
    let links = json!([{"text": "K0abc", "url": "https://t.example/abc"}]);
    assert_eq!(message["topic_links"], links);
    // The list can shrink; nothing can be added before that.
    try_add(&admin, "one(?P<id>[0-9]+)").bad_request();
    assert_eq!(ids(&admin).len(), 63);
    let first = ids(&admin)[0];
    admin.delete(&format!("{FILTERS}/{first}"), &[]).ok();
}
