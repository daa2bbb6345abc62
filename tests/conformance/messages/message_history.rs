//! GET /messages/{message_id}/history, and `edit_history` of message objects
//! (docs/protocol/messages.md#message-object, docs/protocol/messages.md#get_message_history,
//! `realm_message_edit_history_visibility_policy`).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Options, Server, User};

use super::edit_support::{patch, setting};
use super::{direct, read, to_channel};
use crate::support::server;

fn history(user: &User, id: i64) -> Value {
    let path = format!("/messages/{id}/history");
    let known = [("allow_empty_topic_name", "true")];
    user.get(&path, &known).ok()["message_history"].clone()
}

#[test]
fn versions_are_listed_oldest_first_with_the_previous_values() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "", "one <b>");
    let sent = read(&user, id)["timestamp"].clone();
    let original = json!([{"topic": "", "content": "one <b>", "timestamp": sent,
        "rendered_content": "<p>one &lt;b&gt;</p>", "user_id": user.user_id}]);
    assert_eq!(history(&user, id), original);
    patch(&user, id, &[("content", "two <b>")]).ok();
    patch(&user, id, &[("topic", "t")]).ok();
    let states = history(&user, id);
    assert_eq!(states.as_array().expect("a list").len(), 3);
    assert_eq!(states[0], original[0]);
    let time = states[1]["timestamp"].clone();
    assert_eq!(
        states[1],
        json!({"topic": "", "content": "two <b>", "rendered_content": "<p>two &lt;b&gt;</p>",
            "timestamp": time, "user_id": user.user_id, "prev_content": "one <b>",
            "prev_rendered_content": "<p>one &lt;b&gt;</p>",
            "content_html_diff": "<div><span class=\"highlight_text_deleted\">one</span>\
                <span class=\"highlight_text_inserted\">two</span> &lt;b&gt;</div>"})
    );
    let time = states[2]["timestamp"].clone();
    assert_eq!(
        states[2],
        json!({"topic": "t", "content": "two <b>", "rendered_content": "<p>two &lt;b&gt;</p>",
            "timestamp": time, "user_id": user.user_id, "prev_topic": ""})
    );
    let named = user.get(&format!("/messages/{id}/history"), &[]).ok();
    assert_eq!(named["message_history"][0]["topic"], "general chat");
    assert_eq!(named["message_history"][2]["prev_topic"], "general chat");
}

/// The difference contains no markup from the text of the messages.
#[test]
fn differences_are_escaped() {
    let user = server().user("member");
    let id = direct(&user, &[&user], "<img src=x onerror=\"a()\">");
    patch(&user, id, &[("content", "<script>'&\n</script>")]).ok();
    let states = history(&user, id);
    let html = states[1]["content_html_diff"].as_str().expect("HTML");
    for bad in ["<img", "<script", "</script", "onerror=\""] {
        assert!(!html.contains(bad), "{html}");
    }
    assert!(
        html.contains("&lt;img") && html.contains("&#39;&amp;"),
        "{html}"
    );
}

#[test]
fn the_organization_sets_what_the_history_shows() {
    let server = Server::start(Options::default());
    let user = server.user("member");
    let channel = fixture::channel(&server, ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "t", "x");
    let edited = direct(&user, &[&user], "x");
    patch(&user, id, &[("content", "y"), ("topic", "u")]).ok();
    patch(&user, id, &[("content", "z")]).ok();
    patch(&user, edited, &[("content", "y")]).ok();
    assert_eq!(history(&user, id).as_array().expect("a list").len(), 3);
    let policy = "message_edit_history_visibility_policy";
    setting(&server, policy, json!("moves"));
    let states = history(&user, id);
    assert_eq!(states.as_array().expect("a list").len(), 2);
    assert_eq!(states[0]["topic"], "t");
    assert_eq!(states[1]["topic"], "u");
    assert!(!states.to_string().contains("prev_content"), "{states}");
    assert!(!states.to_string().contains("<p>x</p>"), "{states}");
    let message = read(&user, id);
    let shown = message["edit_history"].as_array().expect("a list");
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0].get("prev_content"), None);
    assert_eq!(read(&user, edited).get("edit_history"), None);
    setting(&server, policy, json!("none"));
    let path = format!("/messages/{id}/history");
    user.get(&path, &[]).bad_request();
    assert_eq!(read(&user, id).get("edit_history"), None);
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "5"),
        ("num_after", "0"),
    ];
    let messages = user.get("/messages", &pairs).ok()["messages"].clone();
    assert!(!messages.to_string().contains("edit_history"));
    assert!(messages.to_string().contains("last_edit_timestamp"));
}

#[test]
fn unreadable_messages_look_like_missing_ones() {
    let one = server().user("member");
    let other = server().user("owner");
    let id = direct(&one, &[&one], "x");
    let hidden = other.get(&format!("/messages/{id}/history"), &[]);
    let missing = other.get("/messages/99999999/history", &[]);
    assert_eq!(hidden.bad_request(), missing.bad_request());
}

/// A history whose HTML exceeds the answer limit has all texts, and HTML of the newest states.
#[test]
fn a_large_history_is_sent_without_its_oldest_html() {
    let user = server().user("member");
    let id = super::direct(&user, &[&user], "first");
    let words = |number: u64| {
        let word = |index: u64| {
            let mixed = (index + 1) * (2 * number + 3) * 7919 + number * number * 31;
            format!("{:x} ", mixed % 4096)
        };
        let text: String = (0..1900).map(word).collect();
        text.trim().to_owned()
    };
    let path = format!("/messages/{id}");
    for number in 0..40 {
        user.patch(&path, &[("content", &words(number))]).ok();
    }
    let body = user.get(&format!("{path}/history"), &[]).ok();
    let states = body["message_history"].as_array().unwrap();
    assert_eq!(states.len(), 41);
    assert_eq!(body["is_incomplete"], true);
    let (oldest, newest) = (&states[0], &states[40]);
    assert_eq!(oldest["content"], "first");
    assert_eq!(oldest["rendered_content"], "");
    assert_eq!(newest["content"], words(39).as_str());
    assert_eq!(newest["prev_content"], words(38).as_str());
    assert!(
        newest["rendered_content"]
            .as_str()
            .unwrap()
            .starts_with("<p>")
    );
    assert!(newest["content_html_diff"].is_string());
    let whole = |state: &Value| state["rendered_content"] != "";
    let first = states.iter().position(whole).unwrap();
    assert!(states[first..].iter().all(whole), "from {first} on");
}
