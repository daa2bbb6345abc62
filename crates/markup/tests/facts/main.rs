//! Every row of the tables in docs/protocol/markdown.md, as pairs of Markdown and HTML: a module
//! for each section.
//!
//! Owns the expectations that come from the specification. Texts that combine constructs are
//! in the corpus (see `corpus.rs`).

#[path = "../common/mod.rs"]
mod common;

mod alert_words;
mod blocks;
mod channel_links;
mod emoji_and_times;
mod fences;
mod formulas;
mod general;
mod inline_text;
mod limits;
mod linkifiers;
mod links;
mod media;
mod mentions;
mod properties;

use common::html;

fn assert_rendered(cases: &[(&str, &str)]) {
    for (content, expected) in cases {
        assert_eq!(html(content), *expected, "{content:?}");
    }
}
