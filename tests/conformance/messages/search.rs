//! Full-text search in GET /messages (docs/protocol/narrow.md#operators,
//! docs/protocol/messages.md#message-object, `search`, `match_content`).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, Channel, ChannelKind};
use spindle_tests::server::is_on_postgres;
use spindle_tests::{User, unique};

use super::{direct, to_channel};
use crate::support::server;

/// A user with a channel of their own.
fn world() -> (User, Channel) {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::PrivateShared, &[&user]);
    (user, channel)
}

#[track_caller]
fn fetch(user: &User, narrow: &Value) -> Vec<Value> {
    let narrow = narrow.to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "100"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    let body = user.get("/messages", &pairs).ok();
    body["messages"].as_array().unwrap().clone()
}

#[track_caller]
fn found(user: &User, search: &str) -> Vec<i64> {
    ids(&fetch(user, &json!([["search", search]])))
}

fn ids(messages: &[Value]) -> Vec<i64> {
    let id = |message: &Value| message["id"].as_i64().unwrap();
    messages.iter().map(id).collect()
}

/// The snapshot announces no stop words, and search has none.
#[test]
fn short_and_common_words_are_found() {
    let (user, channel) = world();
    let id = to_channel(
        &user,
        &channel,
        "t",
        "to be, or not, that is the question; a pity",
    );
    let fetch = [("fetch_event_types", "[\"stop_words\"]")];
    let snapshot = user.post("/register", &fetch).ok();
    assert_eq!(snapshot["stop_words"], json!([]));
    for word in [
        "to",
        "be",
        "or",
        "not",
        "that",
        "is",
        "the",
        "a",
        "\"that is the\"",
    ] {
        assert_eq!(found(&user, word), [id], "{word}");
    }
    assert!(found(&user, "the with").is_empty());
}

#[test]
fn words_phrases_and_prefixes_are_found() {
    let (user, channel) = world();
    let send = |topic: &str, content: &str| to_channel(&user, &channel, topic, content);
    let a = send("Lunch plans", "The quick brown fox");
    let b = send("t", "brown and quick: École, deployed");
    let c = send("t", "東京タワーに行く");
    let d = send("t", "https://example.com/path?x=1 it's `a_b`");
    for (search, expected) in [
        ("quick", vec![a, b]),
        ("QUICK", vec![a, b]),
        ("quick brown", vec![a, b]),
        ("\"quick brown\"", vec![a]),
        ("\u{201c}quick brown\u{201d}", vec![a]),
        ("\"brown quick\"", vec![]),
        ("quick lunch", vec![a]),
        ("lunch", vec![a]),
        ("\"plans the\"", vec![]),
        ("quic", vec![a, b]),
        ("quic*", vec![a, b]),
        ("quic lunch", vec![]),
        ("quic* lunch", vec![a]),
        ("lunch QUIC", vec![a]),
        ("lunch quic 🎉", vec![a]),
        ("\"quic\"", vec![]),
        ("\"quick br\"", vec![]),
        ("\"quick bro", vec![a, b]),
        ("lun \"the quick\"", vec![]),
        ("qu", vec![]),
        ("qu*", vec![]),
        ("ecol", vec![b]),
        ("example.co", vec![]),
        ("example.com/pat", vec![d]),
        ("ecole", vec![b]),
        ("E\u{301}COLE", vec![b]),
        ("deploy*", vec![b]),
        ("京タ", vec![c]),
        ("東京", vec![c]),
        ("京東", vec![]),
        ("example.com", vec![d]),
        ("it's", vec![d]),
        ("a_b", vec![d]),
        ("quick nothing", vec![]),
    ] {
        assert_eq!(found(&user, search), expected, "{search}");
    }
}

/// The last word of each search is a prefix, and the whole matched word is highlighted.
#[test]
fn the_last_word_is_a_prefix() {
    let (user, channel) = world();
    let send = |topic: &str, content: &str| to_channel(&user, &channel, topic, content);
    let whole = send("release", "we deploy");
    let longer = send("deployments", "of the release, deployed");
    let not = |operand: &str| json!({"operator": "search", "operand": operand, "negated": true});
    for (narrow, expected) in [
        (json!([["search", "deploy"]]), vec![whole, longer]),
        (json!([["search", "\"deploy\""]]), vec![whole]),
        (
            json!([["search", "rele"], ["search", "dep"]]),
            vec![whole, longer],
        ),
        (json!([["search", "rele dep"]]), vec![]),
        (json!([["search", "dep"], not("deploy")]), vec![longer]),
        (
            json!([["search", "dep"], not("deplo")]),
            vec![whole, longer],
        ),
        (json!([["search", "dep"], not("deplo*")]), vec![]),
        (
            json!([["search", "release"], not("dep")]),
            vec![whole, longer],
        ),
    ] {
        assert_eq!(ids(&fetch(&user, &narrow)), expected, "{narrow}");
    }
    let hit = |text: &str| format!("<span class=\"highlight\">{text}</span>");
    let messages = fetch(&user, &json!([["search", "deploy"]]));
    assert_eq!(messages[1]["match_subject"], hit("deployments"));
    let content = format!("<p>of the release, {}</p>", hit("deployed"));
    assert_eq!(messages[1]["match_content"], content);
    let ids = format!("[{whole},{longer}]");
    let narrow = json!([["search", "deployme"]]).to_string();
    let pairs = [("msg_ids", ids.as_str()), ("narrow", &narrow)];
    let matches = user.get("/messages/matches_narrow", &pairs).ok();
    let matches = matches["messages"].as_object().expect("messages");
    let found: Vec<_> = matches.iter().collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, &longer.to_string());
    assert_eq!(found[0].1["match_subject"], hit("deployments"));
}

/// A prefix may match more words than the index looks up one by one.
#[test]
fn a_prefix_may_match_many_words() {
    let (user, channel) = world();
    let word = |number: usize| format!("zyxo{number}");
    let words: Vec<String> = (0..200).map(word).collect();
    let one = to_channel(&user, &channel, "t", &words.join(" "));
    let two = to_channel(&user, &channel, "t", "zyxo199 once more");
    assert_eq!(found(&user, "zyxo"), [one, two]);
    assert_eq!(found(&user, "zyxo1"), [one, two]);
    assert_eq!(found(&user, "zyxo19"), [one, two]);
    assert_eq!(found(&user, "zyxo198"), [one]);
    assert_eq!(found(&user, "once zyx"), [two]);
}

/// Query syntax of the index in a search is treated as text.
#[test]
fn the_query_syntax_of_the_index_is_escaped() {
    let (user, channel) = world();
    let id = to_channel(&user, &channel, "t", "near or and not content scope");
    for search in ["near", "AND", "or NOT", "content", "\"scope", "not*"] {
        assert_eq!(found(&user, search), [id], "{search}");
    }
    for search in [
        "\"",
        "'",
        "*",
        "^",
        "-",
        "+",
        "(",
        ")",
        "{}",
        ":",
        "\"\"",
        "--",
        ";",
        "%",
        "\\",
        "🎉",
        "NEAR(",
        "c1 AND",
        "scope:c1",
        "scope : s1",
        "{scope}",
        "-near",
        "near* AND content:x",
    ] {
        let narrow = json!([["search", search]]);
        for message in fetch(&user, &narrow) {
            assert_eq!(message["id"], id, "{search}");
        }
    }
    assert_eq!(found(&user, "scope:c1"), Vec::<i64>::new());
    let long = "x ".repeat(200);
    let pairs = json!([["search", long]]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "1"),
        ("narrow", pairs.as_str()),
    ];
    user.get("/messages", &pairs).error(400, "BAD_NARROW");
}

#[test]
fn a_search_stays_in_its_narrow() {
    let (user, channel) = world();
    let other = server().user("member");
    fixture::subscribe(server(), &other, &channel);
    let word = unique("w").replace(|c: char| !c.is_alphanumeric(), "");
    let a = to_channel(&user, &channel, "one", &word);
    let b = to_channel(&other, &channel, "two", &format!("{word} again"));
    let c = direct(&other, &[&user], &word);
    direct(&other, &[&other], &word);
    let hidden = fixture::channel(server(), ChannelKind::PrivateShared, &[&other]);
    to_channel(&other, &hidden, "t", &word);
    let public = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let e = to_channel(&other, &public, "t", &word);
    let search = |more: Value| {
        let mut terms = more.as_array().unwrap().clone();
        terms.push(json!({"operator": "search", "operand": word}));
        ids(&fetch(&user, &Value::Array(terms)))
    };
    assert_eq!(search(json!([])), [a, b, c]);
    assert_eq!(search(json!([["channel", channel.name]])), [a, b]);
    assert_eq!(
        search(json!([["channel", channel.name], ["topic", "TWO"]])),
        [b]
    );
    assert_eq!(search(json!([["sender", other.email]])), [b, c]);
    assert_eq!(search(json!([["is", "dm"]])), [c]);
    assert_eq!(search(json!([["dm", other.email]])), [c]);
    assert_eq!(
        search(json!([["channel", public.name]])),
        [e],
        "the history of the channel"
    );
    assert_eq!(search(json!([["search", "again"]])), [b]);
    let not = json!([{"operator": "search", "operand": "again", "negated": true}]);
    assert_eq!(search(not), [a, c]);
    let not = json!([["is", "dm"], {"operator": "search", "operand": word, "negated": true}]);
    assert_eq!(ids(&fetch(&user, &not)), Vec::<i64>::new());
    let not =
        json!([["dm", other.email], {"operator": "search", "operand": "!!!", "negated": true}]);
    assert_eq!(
        ids(&fetch(&user, &not)),
        [c],
        "a search without words excludes nothing"
    );
}

#[test]
fn anchors_apply_within_the_results() {
    let (user, channel) = world();
    let mut hits = Vec::new();
    for number in 0..12 {
        let content = if number % 2 == 0 { "needle" } else { "hay" };
        let id = to_channel(&user, &channel, "t", content);
        hits.extend((number % 2 == 0).then_some(id));
    }
    let narrow = json!([["search", "needle"]]).to_string();
    let middle = hits[3].to_string();
    let pairs = [
        ("anchor", middle.as_str()),
        ("num_before", "2"),
        ("num_after", "1"),
        ("narrow", &narrow),
    ];
    let body = user.get("/messages", &pairs).ok();
    assert_eq!(ids(body["messages"].as_array().unwrap()), hits[1..5]);
    assert_eq!(
        [
            &body["found_anchor"],
            &body["found_oldest"],
            &body["found_newest"]
        ],
        [true, false, false]
    );
}

#[test]
fn highlighted_fields_are_returned_with_a_search_only() {
    let (user, channel) = world();
    to_channel(
        &user,
        &channel,
        "a<b",
        "x **needle** [needle](https://needle.example)",
    );
    let messages = fetch(&user, &json!([["search", "needle b"]]));
    let hit = |text: &str| format!("<span class=\"highlight\">{text}</span>");
    assert_eq!(messages[0]["match_subject"], format!("a&lt;{}", hit("b")));
    let content = messages[0]["match_content"].as_str().unwrap();
    assert!(
        content.contains(&format!("<strong>{}</strong>", hit("needle"))),
        "{content}"
    );
    assert!(
        content.contains("href=\"https://needle.example\""),
        "{content}"
    );
    let unmarked = content
        .replace("<span class=\"highlight\">", "")
        .replace("</span>", "");
    assert_eq!(messages[0]["content"], unmarked);
    for narrow in [
        json!([]),
        json!([["channel", channel.name]]),
        json!([{"operator": "search", "operand": "other", "negated": true}]),
    ] {
        let messages = fetch(&user, &narrow);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].get("match_content").is_none());
        assert!(messages[0].get("match_subject").is_none());
    }
}

/// The database keeps the index up to date after edits, moves and deletions.
#[test]
fn edited_moved_and_deleted_messages_are_indexed_again() {
    if is_on_postgres("the program writes the words, no trigger does") {
        return;
    }
    let (user, channel) = world();
    let id = to_channel(&user, &channel, "before", "oldword");
    let database = server().database();
    database
        .execute("UPDATE messages SET content = 'newword', rendered_content = '<p>newword</p>' WHERE id = ?1", [id])
        .unwrap();
    assert_eq!(found(&user, "oldword"), Vec::<i64>::new());
    assert_eq!(found(&user, "newword"), [id]);
    database
        .execute(
            "UPDATE messages SET topic = 'after', topic_folded = 'after' WHERE id = ?1",
            [id],
        )
        .unwrap();
    assert_eq!(found(&user, "before"), Vec::<i64>::new());
    assert_eq!(found(&user, "after newword"), [id]);
    user.delete(&format!("/messages/{id}"), &[]).ok();
    assert_eq!(found(&user, "newword"), Vec::<i64>::new());
}
