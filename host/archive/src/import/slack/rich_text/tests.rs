//! Tests of rich texts of Slack, in the form that its editor sends.

use std::collections::HashMap;

use serde_json::json;

use super::super::super::options::Origin;
use super::super::super::testing::small_chat;
use super::*;

fn convert(elements: Value, said: &str) -> Text {
    let (chat, general) = small_chat(Origin::Slack, "U1", "general");
    let channels = HashMap::from([("C1".to_owned(), general)]);
    let markup = Markup {
        chat: &chat,
        channels: &channels,
    };
    RichText { markup, said }.block(&json!({"type": "rich_text", "elements": elements}))
}

#[track_caller]
fn becomes(elements: Value, expected: &str) {
    assert_eq!(
        convert(elements.clone(), "").content,
        expected,
        "{elements}"
    );
}

/// A section of these elements.
fn section(elements: Value) -> Value {
    json!({"type": "rich_text_section", "elements": elements})
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn styled(text: &str, styles: &[&str]) -> Value {
    let style: serde_json::Map<String, Value> = styles
        .iter()
        .map(|style| ((*style).to_owned(), json!(true)))
        .collect();
    json!({"type": "text", "text": text, "style": style})
}

#[test]
fn styles_have_markers_that_work() {
    becomes(
        json!([section(json!([
            said("a "),
            styled("b ", &["bold"]),
            styled("c", &["italic"]),
            said("d "),
            styled("e", &["strike"]),
            said(" "),
            styled("f", &["bold", "italic"]),
            said(" "),
            styled("g*_`", &["code"])
        ]))]),
        "a **b** *c*d ~~e~~ ***f*** `` g*_` ``",
    );
    // Runs of the same style are one; each line has markers of its own.
    becomes(
        json!([section(json!([
            styled("a", &["bold"]),
            styled("b\nc", &["bold"])
        ]))]),
        "**ab**\n**c**",
    );
    // Markers that would not work are left out, no character is.
    becomes(
        json!([section(json!([
            styled("a", &["bold"]),
            styled("b", &["italic"]),
            styled("2*3", &["bold"]),
            styled(" ", &["bold"])
        ]))]),
        "**a**b2*3 ",
    );
}

#[test]
fn references_are_those_of_this_server() {
    let elements = json!([section(json!([
        {"type": "user", "user_id": "U1", "style": {"bold": true}}, said(" "),
        {"type": "user", "user_id": "U9"}, said(" "),
        {"type": "channel", "channel_id": "C1"}, said(" "),
        {"type": "channel", "channel_id": "C9"}, said(" "),
        {"type": "usergroup", "usergroup_id": "S1"}, said(" "),
        {"type": "broadcast", "range": "here"}, said(" "),
        {"type": "emoji", "name": "smile", "unicode": "1f604"}, said(" "),
        {"type": "emoji", "name": "our_logo"}, said(" "),
        {"type": "emoji", "name": "no-such-name", "unicode": "1f468-200d-1f4bb"}, said(" "),
        {"type": "date", "timestamp": 1_392_734_382, "format": "{date}", "fallback": "Feb 18"}, said(" "),
        {"type": "date", "timestamp": "soon", "format": "{date}", "fallback": "Feb 18"}, said(" "),
        {"type": "color", "value": "#ff0000"}, said(" "),
        {"type": "future", "text": "kept"}]))]);
    let text = convert(elements, "<@U1> <@U9|zoe> <#C9|gone> <!subteam^S1|@devs>");
    assert_eq!(
        text.content,
        "@**Ann Lee|1** @zoe #**general** #gone @devs @**all** :smile: :our_logo: \u{1f468}\u{200d}\u{1f4bb} \
         <time:2014-02-18T14:39:42Z> Feb 18 #ff0000 kept"
    );
    assert_eq!((text.mentions, text.mentions_all), (vec![1], true));
    assert!(text.plain.starts_with("@Ann Lee @zoe #general"));
}

#[test]
fn links_have_labels() {
    becomes(
        json!([section(json!([
            {"type": "link", "url": "https://x.org/a?b=1&c=2", "text": "the one"}, said(" "),
            {"type": "link", "url": "https://x.org/", "style": {"bold": true}}, said(" "),
            {"type": "link", "url": "https://x.org/", "text": "x", "style": {"bold": true}}]))]),
        "[the one](https://x.org/a?b=1&c=2) https://x.org/ **[x](https://x.org/)**",
    );
}

#[test]
fn lists_quotes_and_code_end_where_they_ended() {
    let list = |style: &str, indent: u64, items: &[&str]| {
        let items: Vec<Value> = items
            .iter()
            .map(|item| section(json!([said(item)])))
            .collect();
        json!({"type": "rich_text_list", "style": style, "indent": indent, "elements": items})
    };
    let part = |kind: &str, text: &str| json!({"type": kind, "elements": [said(text)]});
    becomes(
        json!([
            section(json!([said("see:\n")])),
            list("bullet", 0, &["a", "b\nmore"]),
            list("ordered", 1, &["c", "d"]),
            list("bullet", 0, &["e"]),
            section(json!([said("end")]))
        ]),
        "see:\n- a\n- b\n  more\n  1. c\n  2. d\n- e\n\nend",
    );
    let mut later = list("ordered", 0, &["c"]);
    later["offset"] = json!(2);
    becomes(json!([later]), "3. c");
    becomes(
        json!([
            part("rich_text_quote", "one\ntwo"),
            section(json!([said("three")]))
        ]),
        "> one\n> two\n\nthree",
    );
    becomes(
        json!([
            section(json!([said("see")])),
            part("rich_text_preformatted", "let x = *y*;\n```\n"),
            section(json!([said("end")]))
        ]),
        "see\n````\nlet x = *y*;\n```\n````\nend",
    );
    becomes(
        json!([
            part("rich_text_preformatted", ""),
            part("rich_text_quote", " ")
        ]),
        "",
    );
}

#[test]
fn odd_rich_texts_are_taken_as_far_as_they_make_sense() {
    becomes(
        json!([null, 7, {"type": "rich_text_section", "elements": [null, 7, {"type": "text", "text": 7}]}]),
        "7",
    );
    becomes(
        json!([{"type": "rich_text_list", "indent": u64::MAX, "offset": u64::MAX, "elements": [section(json!([said("a")]))]}]),
        &format!("{}- a", "  ".repeat(MOST_INDENT)),
    );
    let many: Vec<Value> = (0..20_000)
        .map(|number| {
            styled(
                "x ",
                if number % 2 == 0 {
                    &["bold"]
                } else {
                    &["italic"]
                },
            )
        })
        .collect();
    assert!(convert(json!([section(json!(many))]), "").content.len() > 20_000);
}
