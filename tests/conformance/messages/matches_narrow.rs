//! GET /messages/matches_narrow (docs/protocol/narrow.md#matches_narrow).

use serde_json::{Value, json};
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{Reply, User};

use super::{direct, to_channel};
use crate::support::{keys, server};

fn matches(user: &User, ids: &[i64], narrow: &Value) -> Reply {
    let (ids, narrow) = (json!(ids).to_string(), narrow.to_string());
    let pairs = [("msg_ids", ids.as_str()), ("narrow", narrow.as_str())];
    user.get("/messages/matches_narrow", &pairs)
}

#[test]
fn matching_messages_have_both_keys_for_every_narrow() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let first = to_channel(&user, &channel, "a & b", "one *two* three");
    let second = to_channel(&user, &channel, "other", "four");
    let body = matches(&user, &[second, first, second, 99_999_999], &json!([])).ok();
    assert_eq!(keys(&body), ["messages", "msg", "result"]);
    let expected = json!({
        first.to_string(): {"match_content": "<p>one <em>two</em> three</p>", "match_subject": "a &amp; b"},
        second.to_string(): {"match_content": "<p>four</p>", "match_subject": "other"},
    });
    assert_eq!(body["messages"], expected);
    let topic = json!([{"operator": "topic", "operand": "OTHER"}]);
    let body = matches(&user, &[first, second], &topic).ok();
    assert_eq!(keys(&body["messages"]), [second.to_string()]);
    let not = json!([{"operator": "topic", "operand": "other", "negated": true}]);
    let body = matches(&user, &[first, second], &not).ok();
    assert_eq!(keys(&body["messages"]), [first.to_string()]);
    assert_eq!(matches(&user, &[], &json!([])).ok()["messages"], json!({}));
}

#[test]
fn matched_words_are_highlighted_in_content_and_topic() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "Span & more", "a **Span** <span> `span`");
    let search = json!([{"operator": "search", "operand": "span"}]);
    let body = matches(&user, &[id], &search).ok();
    let hit = |text: &str| format!("<span class=\"highlight\">{text}</span>");
    let found = &body["messages"][id.to_string()];
    assert_eq!(
        found["match_subject"],
        format!("{} &amp; more", hit("Span"))
    );
    let expected = format!(
        "<p>a <strong>{}</strong> &lt;{}&gt; <code>{}</code></p>",
        hit("Span"),
        hit("span"),
        hit("span")
    );
    assert_eq!(found["match_content"], expected);
}

#[test]
fn the_empty_topic_is_shown_by_its_name() {
    let user = server().user("member");
    let channel = fixture::channel(server(), ChannelKind::Public, &[&user]);
    let id = to_channel(&user, &channel, "", "x");
    let note = direct(&user, &[&user], "x");
    let body = matches(&user, &[id, note], &json!([["search", "x"]])).ok();
    let subject = |id: i64| body["messages"][id.to_string()]["match_subject"].clone();
    assert_eq!(subject(id), "general chat");
    assert_eq!(subject(note), "");
}

#[test]
fn only_delivered_messages_can_match() {
    let user = server().user("member");
    let other = server().user("member");
    let public = fixture::channel(server(), ChannelKind::Public, &[&other]);
    let private = fixture::channel(server(), ChannelKind::PrivateShared, &[&user, &other]);
    let ids = [
        to_channel(&other, &public, "t", "readable, not delivered"),
        direct(&other, &[&other], "hidden"),
        to_channel(&other, &private, "t", "delivered"),
        99_999_999,
    ];
    let narrow = json!([{"operator": "channel", "operand": public.stream_id}]);
    assert_eq!(matches(&user, &ids, &narrow).ok()["messages"], json!({}));
    let all = matches(&user, &ids, &json!([])).ok();
    assert_eq!(keys(&all["messages"]), [ids[2].to_string()]);
    // A delivered message no longer matches after the user has lost access to it.
    fixture::unsubscribe(server(), &user, &private);
    assert_eq!(matches(&user, &ids, &json!([])).ok()["messages"], json!({}));
}

#[test]
fn parameters_are_checked_in_their_order() {
    let user = server().user("member");
    let get = |pairs: &[(&str, &str)]| user.get("/messages/matches_narrow", pairs);
    let missing = get(&[("narrow", "x")]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "msg_ids");
    let missing = get(&[("msg_ids", "[1]")]).error(400, "REQUEST_VARIABLE_MISSING");
    assert_eq!(missing["var_name"], "narrow");
    get(&[("msg_ids", "1"), ("narrow", "[[\"bogus\",\"x\"]]")]).bad_request();
    get(&[("msg_ids", "[\"1\"]"), ("narrow", "[]")]).bad_request();
    get(&[("msg_ids", "[1]"), ("narrow", "{}")]).bad_request();
    get(&[("msg_ids", "[1]"), ("narrow", "[{\"operator\":\"is\"}]")]).bad_request();
    for narrow in [
        json!([["bogus", "x"]]),
        json!([["channel", "no such channel"]]),
        json!([["is", "bogus"]]),
        json!([["search", " "]]),
        json!([["topic", "x"], ["is", "dm"]]),
    ] {
        let error = matches(&user, &[1], &narrow).error(400, "BAD_NARROW");
        assert!(error["desc"].is_string(), "{error}");
        assert_eq!(keys(&error), ["code", "desc", "msg", "result"]);
    }
}
