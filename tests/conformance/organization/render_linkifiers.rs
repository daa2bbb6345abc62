//! Rendering with linkifiers: in the content of messages and in topics
//! (docs/protocol/markdown.md#linkifiers).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Queue, User, unique};

use super::{FILTERS, LINKIFIERS, add, alone, ids};

fn send(user: &User, channel: &str, topic: &str, content: &str) -> Value {
    let pairs = [
        ("type", "channel"),
        ("to", channel),
        ("topic", topic),
        ("content", content),
    ];
    let id = user.post("/messages", &pairs).ok()["id"].clone();
    user.get(&format!("/messages/{id}"), &[]).ok()["message"].clone()
}

#[test]
fn content_and_topics_are_linked() {
    let server = alone();
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]);
    let prefix = unique("M");
    let id = add(&admin, &prefix);
    let text = format!("{prefix}12");
    let link = format!("<a href=\"https://t.example/12\">{text}</a>");
    let mut queue = Queue::open(
        &admin,
        &[("event_types", "[\"message\"]"), ("apply_markdown", "true")],
    );
    let message = send(
        &admin,
        &channel.id(),
        &text,
        &format!("see {text}, x{text} `{text}`"),
    );
    let expected = format!("<p>see {link}, x{text} <code>{text}</code></p>");
    assert_eq!(message["content"], expected);
    let links = json!([{"text": text, "url": "https://t.example/12"}]);
    assert_eq!(message["topic_links"], links);
    let event = queue.expect(|event| event["message"]["id"] == message["id"]);
    assert_eq!(event["message"]["content"], expected);
    assert_eq!(event["message"]["topic_links"], links);
    let narrow = json!([{"operator": "channel", "operand": channel.stream_id}]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "5"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    let found = admin.get("/messages", &pairs).ok()["messages"].clone();
    assert_eq!(found[0]["topic_links"], links);

    // The next message is rendered with the current list; the old one stays unchanged.
    admin
        .patch(
            &format!("{FILTERS}/{id}"),
            &[("url_template", "https://u.example/?n={id}")],
        )
        .ok();
    let changed = send(&admin, &channel.id(), &text, &text);
    let link = format!("<p><a href=\"https://u.example/?n=12\">{text}</a></p>");
    assert_eq!(changed["content"], link);
    assert_eq!(changed["topic_links"][0]["url"], "https://u.example/?n=12");
    admin.delete(&format!("{FILTERS}/{id}"), &[]).ok();
    let plain = send(&admin, &channel.id(), &text, &text);
    assert_eq!(plain["content"], format!("<p>{text}</p>"));
    assert_eq!(plain["topic_links"], json!([]));
    let old = admin.get(&format!("/messages/{}", message["id"]), &[]).ok();
    assert_eq!(old["message"]["content"], expected);
}

#[test]
fn earlier_linkifiers_win() {
    let server = alone();
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]);
    let prefix = unique("W");
    let linkifier = |pattern: &str, url: &str| {
        let pairs = [("pattern", pattern), ("url_template", url)];
        admin.post(FILTERS, &pairs).ok()["id"].as_i64().unwrap()
    };
    linkifier(&format!("{prefix}(?P<a>[0-9])"), "https://one.example/{a}");
    let two = linkifier(
        &format!("{prefix}(?P<b>[0-9] x)"),
        "https://two.example/{b}",
    );
    let text = format!("{prefix}1 x");
    let first = send(&admin, &channel.id(), &text, &text);
    assert_eq!(
        first["content"],
        format!("<p><a href=\"https://one.example/1\">{prefix}1</a> x</p>")
    );
    assert_eq!(first["topic_links"][0]["text"], format!("{prefix}1"));
    let mut order: Vec<i64> = ids(&admin).into_iter().filter(|id| *id != two).collect();
    order.insert(0, two);
    let order = json!(order).to_string();
    admin
        .patch(LINKIFIERS, &[("ordered_linkifier_ids", &order)])
        .ok();
    let second = send(&admin, &channel.id(), &text, &text);
    assert_eq!(
        second["content"],
        format!("<p><a href=\"https://two.example/1%20x\">{text}</a></p>")
    );
    assert_eq!(second["topic_links"][0]["text"], text.as_str());
}

#[test]
fn links_of_linkifiers_have_safe_schemes_only() {
    let server = alone();
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]);
    let prefix = unique("J");
    let pattern = format!("{prefix}(?P<u>\\S+)");
    let pairs = [("pattern", pattern.as_str()), ("url_template", "{+u}")];
    admin.post(FILTERS, &pairs).ok();
    let text = format!("{prefix}javascript:alert(1)");
    let message = send(&admin, &channel.id(), "t", &text);
    assert_eq!(message["content"], format!("<p>{text}</p>"));
}

/// After each match, a naive matcher would scan the rest of the text again.
#[test]
fn hostile_patterns_are_matched_in_bounded_time() {
    let server = alone();
    let admin = server.user("administrator");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&admin]);
    let prefix = unique("H");
    let mut made = Vec::new();
    for number in 0..20 {
        let pattern = format!("(?P<a>q(?: .*{prefix}{number})?)");
        let pairs = [
            ("pattern", pattern.as_str()),
            ("url_template", "https://h.example/{a}"),
        ];
        made.push(admin.post(FILTERS, &pairs).ok()["id"].clone());
    }
    let started = std::time::Instant::now();
    send(&admin, &channel.id(), "t", &"q ".repeat(5_000));
    assert!(started.elapsed() < std::time::Duration::from_secs(8));
    for id in made {
        admin.delete(&format!("{FILTERS}/{id}"), &[]).ok();
    }
}
