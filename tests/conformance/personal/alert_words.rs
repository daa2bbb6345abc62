//! /users/me/alert_words (docs/protocol/personal.md#alert-words) and the flag has_alert_word.

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Call, Queue, User};

use super::{section, without_ids};
use crate::support::{messages_from, server, settle};

const PATH: &str = "/users/me/alert_words";

fn change(user: &User, method: &str, words: &Value) -> Value {
    let pairs = [("alert_words", words.to_string())];
    let pairs = [(pairs[0].0, pairs[0].1.as_str())];
    user.send(Call::new(method, PATH).form(&pairs)).ok()["alert_words"].clone()
}

fn words(user: &User) -> Value {
    let listed = user.get(PATH, &[]).ok()["alert_words"].clone();
    assert_eq!(listed, section(user, "alert_words")["alert_words"]);
    listed
}

#[test]
fn alert_words_are_added_and_removed_without_case() {
    let user = server().user("guest");
    assert_eq!(words(&user), json!([]));
    let added = change(&user, "POST", &json!([" On fire ", "Zebra", "", "zebra"]));
    assert_eq!(added, json!(["On fire", "Zebra"]));
    assert_eq!(
        change(&user, "POST", &json!(["ZEBRA", "apple"])),
        json!(["On fire", "Zebra", "apple"])
    );
    let removed = change(&user, "DELETE", &json!(["on FIRE", "unknown"]));
    assert_eq!(removed, json!(["Zebra", "apple"]));
    assert_eq!(words(&user), removed);
    assert_eq!(words(&server().user("member")), json!([]));
}

#[test]
fn wrong_lists_are_refused() {
    let user = server().user("member");
    for method in ["POST", "DELETE"] {
        let send = |pairs: &[(&str, &str)]| user.send(Call::new(method, PATH).form(pairs));
        send(&[]).error(400, "REQUEST_VARIABLE_MISSING");
        for wrong in ["word", "[1]", "{}", "\"word\""] {
            send(&[("alert_words", wrong)]).bad_request();
        }
        let long = json!(["x".repeat(101)]).to_string();
        send(&[("alert_words", &long)]).bad_request();
    }
    change(&user, "POST", &json!(["é".repeat(100)]));
}

#[test]
fn the_event_has_the_whole_list_and_goes_to_the_user_only() {
    let (user, other) = (server().user("member"), server().user("owner"));
    let types = ["alert_words", "user_status"];
    let (mut own, mut others) = (Queue::of(&user, &types), Queue::of(&other, &types));
    change(&user, "POST", &json!(["a", "b"]));
    // All words are there already: no event.
    change(&user, "POST", &json!(["A"]));
    change(&user, "DELETE", &json!(["c"]));
    change(&user, "DELETE", &json!(["a"]));
    let mine = |events: Vec<Value>| -> Vec<Value> {
        let events = without_ids(events).into_iter();
        events
            .filter(|event| event["type"] == "alert_words")
            .collect()
    };
    assert_eq!(
        mine(settle(&mut own)),
        [
            json!({"type": "alert_words", "alert_words": ["a", "b"]}),
            json!({"type": "alert_words", "alert_words": ["b"]}),
        ]
    );
    assert!(mine(settle(&mut others)).is_empty());
}

#[test]
fn messages_with_an_alert_word_are_flagged_for_its_user() {
    let (user, other, sender) = (
        server().user("member"),
        server().user("member"),
        server().user("member"),
    );
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user, &other, &sender]);
    change(&user, "POST", &json!(["Deploy", "on fire"]));
    change(&other, "POST", &json!(["unrelated"]));
    let (mut own, mut others) = (
        Queue::of(&user, &["message", "user_status"]),
        Queue::of(&other, &["message", "user_status"]),
    );
    let send = |content: &str| {
        let pairs = [
            ("type", "channel"),
            ("to", &channel.id()),
            ("topic", "t"),
            ("content", content),
        ];
        sender.post("/messages", &pairs).ok()["id"].clone()
    };
    let marked = send("we DEPLOY now");
    send("we redeployed it");
    send("```\ndeploy\n```");
    send("it is on fire!");
    let events = messages_from(&settle(&mut own), &sender);
    let flags: Vec<&Value> = events.iter().map(|event| &event["flags"]).collect();
    let (with, without) = (json!(["has_alert_word"]), json!([]));
    assert_eq!(flags, [&with, &without, &without, &with]);
    for event in messages_from(&settle(&mut others), &sender) {
        assert_eq!(event["flags"], json!([]));
    }
    let found = user.get(&format!("/messages/{marked}"), &[]).ok();
    assert_eq!(found["message"]["flags"], json!(["has_alert_word"]));
    let narrow = [
        (
            "narrow",
            "[{\"operator\": \"is\", \"operand\": \"alerted\"}]",
        ),
        ("anchor", "newest"),
        ("num_before", "10"),
        ("num_after", "0"),
    ];
    let alerted = user.get("/messages", &narrow).ok();
    assert_eq!(alerted["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn words_are_found_in_text_without_spaces() {
    let (sender, user) = (server().user("member"), server().user("member"));
    change(
        &user,
        "POST",
        &json!(["番茄", "トマト", "มะเขือเทศ", "토마토", "rust"]),
    );
    for (content, is_found) in [
        ("我喜欢番茄炒蛋", true),
        ("今日はトマトを食べた", true),
        ("ฉันชอบมะเขือเทศมาก", true),
        ("토마토는 맛있다", true),
        ("使用Rust编程（很好）", true),
        ("「rust」", true),
        ("使用Rusty编程", false),
        ("방울토마토", false),
        ("番番", false),
    ] {
        let to = format!("[{}]", user.id());
        let pairs = [
            ("type", "direct"),
            ("to", to.as_str()),
            ("content", content),
        ];
        let id = sender.post("/messages", &pairs).ok()["id"].clone();
        let message = user.get(&format!("/messages/{id}"), &[]).ok();
        let flags = if is_found {
            json!(["has_alert_word"])
        } else {
            json!([])
        };
        assert_eq!(message["message"]["flags"], flags, "{content}");
    }
}
