//! Properties of the output for every text: it is safe, references include all names, findings agree with the
//! HTML.
//!
//! Owns the generators: arbitrary text, and text composed of pieces of constructs.

mod common;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use spindle_markup::{Context, references, render};

/// Pieces that begin, end or fill constructs.
const PIECES: &[&str] = &[
    "*",
    "**",
    "***",
    "~~",
    "`",
    "``",
    "```",
    "~~~",
    "```quote\n",
    "```spoiler x\n",
    "```math\n",
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "- ",
    "1. ",
    "> ",
    ">",
    "# ",
    "---\n",
    "|",
    "-|-",
    "a|b\n",
    "[",
    "]",
    "(",
    ")",
    "](",
    "](http://e.com)",
    "![",
    "\"",
    "'",
    "<",
    ">",
    "&",
    "&amp;",
    "\\",
    "$$",
    "$",
    ":",
    ":smile:",
    ":party_dot:",
    "😀",
    "👍🏽",
    "❤",
    "\u{fe0f}",
    "\u{200d}",
    "@",
    "@**",
    "@_**",
    "@*",
    "@**Mark Member**",
    "@**|12**",
    "@*devs*",
    "@**all**",
    "@**topic**",
    "#**",
    "#**channel 0**",
    "#**channel 0>hello world**",
    ">",
    "#12",
    "http://",
    "http://e.com/",
    "https://e.com/a.png",
    "e.com",
    "a@e.com",
    "javascript:",
    "/user_uploads/2/a/x.png",
    "](/user_uploads/2/a/x.gif)",
    "![y](/user_uploads/2/a/x.tiff)",
    "![y](/user_uploads/2/a/x.mp3)",
    "[z](/user_uploads/2/a/x.mp4)",
    "https://youtu.be/abcdefghijk",
    "пример.рф",
    "[t](tel:1 \"",
    "](javascript:x)",
    "$$x^2$$",
    "&#x6a;",
    "onclick=\"x\"",
    "<time:",
    "2026-03-04T12:00:00Z",
    "<script>",
    "x",
    "word",
    "é",
    "漢",
    "\t",
    "\r\n",
    "\u{2}",
    "\u{e000}",
];

fn contents() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..40);
    prop_oneof![pieces.prop_map(|pieces| pieces.concat()), any::<String>()]
}

proptest! {
    // The same texts in every run; the fuzz target tries new ones.
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(2000)
    })]

    #[test]
    fn output_is_safe(content in contents()) {
        common::oracle::assert_safe(&common::html(&content));
        spindle_markup::fuzz::check(content.as_bytes());
    }

    #[test]
    fn references_cover_what_rendering_looks_up(content in contents()) {
        let everything = common::render(&content);
        let directory = common::directory_for(&references(&content));
        let announced = common::with_context(|context| {
            render(&content, &Context { directory: &directory, ..*context })
        });
        prop_assert_eq!(everything, announced);
    }

    #[test]
    fn findings_agree_with_the_html(content in contents()) {
        let rendered = common::render(&content);
        let loud = "class=\"user-mention\" data-user-id=\"12\"";
        let is_mentioned = rendered.mentioned_user_ids.contains(&12);
        prop_assert_eq!(is_mentioned, rendered.html.contains(loud));
        let wildcard = "class=\"user-mention channel-wildcard-mention\"";
        prop_assert_eq!(rendered.channel_wildcard, rendered.html.contains(wildcard));
        let topic = "class=\"topic-mention\"";
        prop_assert_eq!(rendered.topic_wildcard, rendered.html.contains(topic));
        prop_assert_eq!(rendered.has_link, rendered.html.contains("<a "));
        let classes = ["message_inline_image\"", "class=\"inline-image"];
        let image = classes.iter().any(|class| rendered.html.contains(class));
        prop_assert!(image || !rendered.has_image);
        for path in &rendered.attachments {
            let address = format!("user_uploads/{path}\"");
            prop_assert!(rendered.html.contains(&address), "{}", path);
        }
    }
}
