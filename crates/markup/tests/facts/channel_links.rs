//! Links to channels, topics and messages. (docs/protocol/markdown.md#channel-links)

use super::assert_rendered;
use crate::common::html;

/// Facts 1.9.
#[test]
fn channel_links() {
    let channel = "class=\"stream\" data-stream-id=\"4\" href=\"/#narrow/channel/4-channel-0\"";
    let topic = |rest: &str| {
        format!(
            "class=\"stream-topic\" data-stream-id=\"4\" href=\"/#narrow/channel/4-channel-0/topic/{rest}\""
        )
    };
    let message = |rest: &str| {
        format!("class=\"message-link\" href=\"/#narrow/channel/4-channel-0/topic/{rest}\"")
    };
    for (content, attributes, text) in [
        ("#**channel 0**", channel.to_owned(), "#channel 0"),
        (
            "#**channel 0>hello world**",
            topic("hello.20world/with/77"),
            "#channel 0 &gt; hello world",
        ),
        ("#**channel 0>new**", topic("new"), "#channel 0 &gt; new"),
        (
            "#**channel 0>hi@5**",
            message("hi/near/5"),
            "#channel 0 &gt; hi @ 💬",
        ),
        (
            "#**channel 0>**",
            topic(""),
            "#channel 0 &gt; <em>general chat</em>",
        ),
        (
            "#**channel 0>@5**",
            message("/near/5"),
            "#channel 0 &gt; <em>general chat</em> @ 💬",
        ),
    ] {
        let expected = format!("<p><a {attributes}>{text}</a></p>");
        assert_eq!(html(content), expected, "{content}");
    }
    assert_rendered(&[
        ("#**Channel 0**", "<p>#<strong>Channel 0</strong></p>"),
        (
            "[#a&#42;b](#narrow/channel/4-a)",
            "<p><a href=\"#narrow/channel/4-a\">#a&#42;b</a></p>",
        ),
    ]);
}

#[test]
fn what_may_stand_before_a_channel_link() {
    for before in ["'", "\"", "(", "{", "[", "/", "a "] {
        let content = format!("{before}#**channel 0**");
        assert!(
            html(&content).starts_with(&format!("<p>{before}<a class=\"stream\"")),
            "{content}"
        );
    }
    for before in ["a", "#", ".", ")"] {
        assert!(
            !html(&format!("{before}#**channel 0**")).contains("<a "),
            "{before}"
        );
    }
}

#[test]
fn topics_are_encoded_and_escaped() {
    for (topic, address, text) in [
        ("a.b/c%d(é)", "a.2Eb.2Fc.25d.28.C3.A9.29", "a.b/c%d(é)"),
        ("<b>", ".3Cb.3E", "&lt;b&gt;"),
        ("a>b", "a.3Eb", "a&gt;b"),
        ("a_b-c~d", "a_b-c~d", "a_b-c~d"),
        ("x@y", "x.40y", "x@y"),
    ] {
        let expected = format!(
            "<p><a class=\"stream-topic\" data-stream-id=\"4\" \
             href=\"/#narrow/channel/4-channel-0/topic/{address}\">#channel 0 &gt; {text}</a></p>"
        );
        assert_eq!(html(&format!("#**channel 0>{topic}**")), expected);
    }
    // A topic is found whatever its case.
    assert!(html("#**channel 0>HELLO world**").contains("/topic/HELLO.20world/with/77"));
}
