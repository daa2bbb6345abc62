//! Tests of the integration.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::SLACK_INCOMING;
use crate::Outcome;
use crate::testing::{html, message, outcome};

#[track_caller]
fn content(body: &Value) -> String {
    message(&SLACK_INCOMING, &[], body).content
}

#[test]
fn texts_have_emphasis_links_and_entities() {
    for (slack, markdown) in [
        ("some *foo* word", "some **foo** word"),
        ("some _foo_ word", "some *foo* word"),
        ("*foo* *bar*: _~x~_", "**foo** **bar**: *~~x~~*"),
        ("*foo*a*bar*", "*foo*a*bar*"),
        ("2*3*4 snake_case_name a~b~c", "2*3*4 snake_case_name a~b~c"),
        ("*a * b* **c**", "*a * b* **c**"),
        (
            "_a <https://x.org/a_b|b_c>_",
            "*a [b_c](https://x.org/a_b)*",
        ),
        ("https://x.org/_a_/*b*", "https://x.org/_a_/*b*"),
        (
            "*https://x.org/a*",
            "**[https://x.org/a](https://x.org/a)**",
        ),
        ("`*a* &lt;b` `", "`*a* <b` &#96;"),
        (
            "a &lt;b&gt; &amp; &amp;lt; &nbsp;",
            "a <b> & &#38;lt; &#38;nbsp;",
        ),
        ("<https://x.org?a=1&amp;b=2>", "https://x.org?a=1&b=2"),
        ("(<https://x.org>)", "([https://x.org](https://x.org))"),
        (
            "<https://x.org|*a* [b>",
            "[&#42;a&#42; &#91;b](https://x.org)",
        ),
        (
            "<mailto:a@x.org|a@x.org> <mailto:a@x.org|Ann>",
            "a@x.org Ann (a@x.org)",
        ),
        ("<tag> 1 < 2", "<tag> 1 < 2"),
        (
            ":white_check_mark: :+1::skin-tone-2: :none_such: 10:30:00",
            ":check: :+1: :none_such: 10:30:00",
        ),
        ("&gt; a\nb", "> a\n\nb"),
        ("x\n&gt;&gt;&gt;a\nb", "x\n> a\n> b"),
        ("     a\n\tb", "   a\n b"),
        (
            "a ```x &amp; <https://x.org|y>``` b",
            "a\n```\nx & y\n```\n b",
        ),
        ("``` open", "&#96;&#96;&#96; open"),
        ("# Title\n* a\n- b", "# Title\n* a\n- b"),
        ("/me waves", "&#47;me waves"),
        ("/poll Tea?\nyes", "&#47;poll Tea?\nyes"),
    ] {
        assert_eq!(content(&json!({ "text": slack })), markdown, "{slack}");
    }
    let said = content(&json!({"text": "*a* [b]", "mrkdwn": false}));
    assert_eq!(said, "&#42;a&#42; [b]");
}

#[test]
fn names_are_text_and_mention_no_one() {
    for (slack, markdown) in [
        (
            "<!channel> <!here|here> <!subteam^S1|@devs> <!subteam^S2>",
            "@channel @here @devs @S2",
        ),
        ("<@U1> <@U2|ann> <#C1|tools> <#C2>", "@U1 @ann #tools #C2"),
        (
            "@*all* #*a* @_*all*_ @**all**",
            "&#64;**all** &#35;**a** &#64;***all*** &#64;**all**",
        ),
        (
            "<@**all**> @<!**all**>",
            "@&#42;&#42;all&#42;&#42; @@&#42;&#42;all&#42;&#42;",
        ),
        (
            "<!date^0^{date}|1 Jan> <!date^0^{date}>",
            "1 Jan <time:1970-01-01T00:00:00Z>",
        ),
        (
            "<!date^0^{date}^https://x.org|1 Jan>",
            "[1 Jan](https://x.org)",
        ),
    ] {
        assert_eq!(content(&json!({ "text": slack })), markdown, "{slack}");
    }
}

#[test]
fn topics_are_the_channel_or_the_sender() {
    let topic = |body: Value| message(&SLACK_INCOMING, &[], &body).topic;
    assert_eq!(
        topic(json!({"text": "a", "channel": "#ci", "username": "x"})),
        "ci"
    );
    assert_eq!(
        topic(json!({"text": "a", "username": "Uptime Kuma"})),
        "Uptime Kuma"
    );
    assert_eq!(topic(json!({"text": "a"})), "(no topic)");
}

#[test]
fn nothing_to_say_is_ignored_and_nothing_known_is_shown() {
    for body in [
        json!({"text": null}),
        json!({"text": " "}),
        json!({"blocks": null, "attachments": [{"title": null, "ts": null}]}),
    ] {
        assert_eq!(outcome(&SLACK_INCOMING, &[], &body), Outcome::Ignored);
    }
    assert_eq!(
        outcome(&SLACK_INCOMING, &[], &json!({"x": 1})),
        Outcome::Unknown
    );
    assert_eq!(outcome(&SLACK_INCOMING, &[], &json!([])), Outcome::Unknown);
}

#[test]
fn lists_may_be_json_in_a_text() {
    let blocks = r#"[{"type": "header", "text": {"type": "plain_text", "text": "a"}}]"#;
    let body = json!({"text": "not shown", "blocks": blocks, "attachments": r#"[{"text": "b"}]"#});
    assert_eq!(content(&body), "## a\n\nb");
    let body = json!({"text": "a", "blocks": [{"type": "divider"}]});
    assert_eq!(content(&body), "a\n\n---");
}

#[test]
fn other_shapes_are_shown() {
    for (body, markdown) in [
        (json!({"text": {"type": "mrkdwn", "text": "*a*"}}), "**a**"),
        (json!({"text": 7}), "7"),
        (json!({"attachments": ["_a_"]}), "*a*"),
        (json!({"attachments": {"text": "one"}}), "one"),
        (
            json!({"attachments": [{"color": "red", "detail": 7}]}),
            "```json\n{\n  \"color\": \"red\",\n  \"detail\": 7\n}\n```",
        ),
        (
            json!({"attachments": [{"fields": [{"title": "T", "value": {"text": "v"}}]}]}),
            "**T**: v",
        ),
    ] {
        assert_eq!(content(&body), markdown);
    }
}

#[test]
fn blocks_replace_the_text() {
    let body = json!({"text": "Alert", "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": ":x: Down [1] *x*"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*web* is down"},
            "fields": [{"type": "mrkdwn", "text": "*Message*\n[DOWN] timeout"}, {"type": "plain_text", "text": "*one*"}],
            "accessory": {"type": "image", "image_url": "https://x.org/a.png", "alt_text": "graph"}},
        {"type": "divider"},
        {"type": "image", "image_url": "https://x.org/b.png"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "since _noon_"}, {"type": "plain_text", "text": "UTC"}]},
        {"type": "actions", "elements": [
            {"type": "button", "text": {"type": "plain_text", "text": "Visit"}, "url": "https://x.org"},
            {"type": "button", "text": {"type": "plain_text", "text": "Mute"}, "value": "1"}]},
    ]});
    assert_eq!(
        content(&body),
        "## :cross_mark: Down [1] &#42;x&#42;\n\n\
         **web** is down\n**Message**\n[DOWN] timeout\n\n&#42;one&#42;\n[graph](https://x.org/a.png)\n\n\
         ---\n\n[image](https://x.org/b.png)\n\nsince *noon* UTC\n\n[Visit](https://x.org) · Mute"
    );
}

#[test]
fn other_blocks_are_shown() {
    let body = json!({"blocks": [
        {"type": "input", "label": {"type": "plain_text", "text": "Reason"},
            "element": {"type": "plain_text_input", "placeholder": {"type": "plain_text", "text": "why"}}},
        {"type": "video", "title": {"type": "plain_text", "text": "Film"}, "title_url": "https://x.org/v",
            "description": {"type": "plain_text", "text": "long"}, "author_name": "Ann"},
        {"type": "markdown", "text": "**a** @**all**"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "a|b"}, {"type": "raw_text", "text": "c"}],
            [{"type": "raw_text", "text": "1"}, {"type": "rich_text", "elements": [{"type": "rich_text_section",
                "elements": [{"type": "text", "text": "2", "style": {"bold": true}}]}]}]]},
        {"type": "alert", "text": {"type": "mrkdwn", "text": "*new*"}, "level": 3},
        {"type": "alien", "level": 3},
    ]});
    assert_eq!(
        content(&body),
        "Reason\nwhy\n\n[Film](https://x.org/v)\nlong\nAnn\n\n**a** &#64;**all**\n\n\
         | a&#124;b | c |\n| --- | --- |\n| 1 | **2** |\n\n**new**\n\n\
         ```json\n{\n  \"level\": 3,\n  \"type\": \"alien\"\n}\n```"
    );
}

#[test]
fn rich_text_has_styles_lists_quotes_and_code() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let item = |said: &str| json!({"type": "rich_text_section", "elements": [text(said)]});
    let body = json!({"blocks": [{"type": "rich_text", "elements": [
        {"type": "rich_text_section", "elements": [text("*a* @"),
            {"type": "text", "text": "all ", "style": {"bold": true}}, {"type": "text", "text": "of", "style": {"bold": true}},
            {"type": "text", "text": "x*y", "style": {"code": true}}, text(" "),
            {"type": "text", "text": "b", "style": {"bold": true, "italic": true, "strike": true}}, text(" "),
            {"type": "link", "url": "https://x.org", "text": "site"}, text(" "), {"type": "user", "user_id": "U1"},
            {"type": "channel", "channel_id": "C1"}, {"type": "broadcast", "range": "here"},
            {"type": "emoji", "name": "tada"}, {"type": "date", "timestamp": 0, "format": "{date}"}]},
        {"type": "rich_text_list", "style": "bullet", "elements": [item("one"), item("two\nlines")]},
        {"type": "rich_text_list", "style": "ordered", "indent": 1, "offset": 2, "elements": [item("three")]},
        {"type": "rich_text_quote", "elements": [text("q\nr")]},
        {"type": "rich_text_preformatted", "elements": [text("let x;\n```")]},
        {"type": "rich_text_section", "elements": [text("end")]},
    ]}]});
    assert_eq!(
        content(&body),
        "&#42;a&#42; &#64;**all of**`x*y` ~~***b***~~ [site](https://x.org) @U1#C1@here:tada:<time:1970-01-01T00:00:00Z>\n\
         * one\n* two\n  lines\n  3. three\n\n> q\n> r\n\n````\nlet x;\n```\n````\n\nend"
    );
}

#[test]
fn attachments_are_shown_in_full() {
    let body = json!({"text": "Uptime", "attachments": [
        {"pretext": "*Pre*", "author_name": "CI", "author_link": "https://x.org/ci", "title": "[FIRING:2] Down &lt;a&gt;",
            "title_link": "https://x.org/a", "text": "text", "image_url": "https://x.org/a.png",
            "thumb_url": "https://x.org/t.png", "footer": "Foot *er*", "ts": "0.5", "fallback": "not shown",
            "fields": [{"title": "Count", "value": 7}, {"title": null, "value": "alone"}, {"title": "T", "value": null},
                {"title": null}, {"title": "Log", "value": "a\nb"}],
            "actions": [{"type": "button", "text": "Open", "url": "https://x.org/o"}]},
        {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "_inner_"}}]},
        {"fallback": "only &amp; this"},
    ]});
    assert_eq!(
        content(&body),
        "Uptime\n\n**Pre**\n[CI](https://x.org/ci)\n**[[FIRING:2] Down &#60;a>](https://x.org/a)**\ntext\n\
         **Count**: 7\nalone\n**T**\n**Log**:\na\nb\n[Open](https://x.org/o)\n[image](https://x.org/a.png)\n\
         [thumbnail](https://x.org/t.png)\nFoot &#42;er&#42; · <time:1970-01-01T00:00:00Z>\n\n\
         *inner*\n\nonly & this"
    );
}

proptest! {
    #[test]
    fn no_text_mentions_all(text in "[@#*_~<>!|`&: é\\n-]{0,12}(@\\*\\*all\\*\\*|@all|<!channel>|a)[@#*_~<>!|`&;: é\\n]{0,12}") {
        let style = json!({"bold": true});
        for body in [
            json!({"text": text}),
            json!({"attachments": [{"title": text, "text": "x", "fields": [{"title": text, "value": text}]}]}),
            json!({"blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
                {"type": "text", "text": text}, {"type": "text", "text": "all", "style": style}]}]}]}),
        ] {
            let Outcome::Message(said) = outcome(&SLACK_INCOMING, &[], &body) else { continue };
            let html = html(&said.content);
            prop_assert!(!html.contains("mention"), "{}", said.content);
        }
    }

    #[test]
    fn rich_text_keeps_its_letters(one in "[ -~]{0,20}|[*_`@#\\[\\]()~$:a<&;1./>| -]{0,20}", two in "[*_`@#a~ -]{0,8}", bold: bool) {
        let body = json!({"blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "text", "text": format!("a{one}")}, {"type": "text", "text": format!("b{two}c"), "style": {"strike": bold}}]}]}]});
        let shown = crate::html::text_of(&html(&content(&body)));
        prop_assert_eq!(shown, format!("a{one}b{two}c"));
    }
}
