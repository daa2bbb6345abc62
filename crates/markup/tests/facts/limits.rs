//! Limits of the output. (docs/protocol/markdown.md#rendering-limits)

use spindle_markup::{MAX_RENDERED_LENGTH, Rendered};

use crate::common::{self, html};

#[test]
fn html_may_have_a_million_characters() {
    let of = |html: String| Rendered {
        html,
        ..Rendered::default()
    };
    assert!(!of("é".repeat(MAX_RENDERED_LENGTH)).is_too_long());
    assert!(of("é".repeat(MAX_RENDERED_LENGTH) + "x").is_too_long());
}

/// Even the worst output of a message of the greatest length is far below the limit.
#[test]
fn the_longest_message_stays_below() {
    for unit in [
        ":man_technologist:",
        "@**|12** ",
        "#**channel 0>** ",
        "$$x$$ ",
        "http://e.com/a.png ",
        "&",
        "*a*",
        "- a\n",
        "|",
        "> a\n\n",
        "```spoiler\n```\n",
        "#1,",
    ] {
        let content = unit.repeat(10_000 / unit.len());
        let rendered = common::render(&content);
        assert!(!rendered.is_too_long(), "{unit}: {}", rendered.html.len());
    }
}

#[test]
fn nesting_ends_somewhere() {
    let deep = html(&(">".repeat(500) + " a"));
    assert!(deep.matches("<blockquote>").count() < 20);
    let lists: String = (0..200).map(|depth| "  ".repeat(depth) + "- a\n").collect();
    assert!(html(&lists).matches("<ul>").count() < 20);
}
