//! Inline markup of one block.
//!
//! Constructs have a fixed precedence over the whole text, not from left to right, so each is one pass over
//! it. A recognised construct becomes a node and is replaced by a placeholder (U+0002, which normalized
//! contents do not contain, and two private-use characters), which later passes skip. Every pass is linear,
//! and the text inside a node is parsed by later passes only within that node, so parsing as a whole is
//! linear too. Nesting is bounded by the number of passes.
//! (docs/protocol/markdown.md#precedence, docs/protocol/markdown.md#inline)

mod channel_link;
mod code_span;
mod emoji;
mod emoticon;
mod emphasis;
mod free_time;
mod link;
#[cfg(feature = "linkifiers")]
mod linkify;
mod math;
mod mention;
mod offset;
mod parser;
mod rewrite;
mod time;
mod url;

use crate::context::Context;
use crate::node::Node;
use parser::{Parser, Pass};

pub(crate) use code_span::code_span_ranges;
pub(crate) use math::display_formula;
pub(crate) use parser::Scope;
pub(crate) use url::links_in as bare_links;

/// The constructs in the order of their precedence.
const PASSES: &[Pass] = &[
    code_span::pass,
    emphasis::strong_emphasis_pass,
    mention::user_pass,
    math::pass,
    channel_link::pass,
    time::pass,
    mention::group_pass,
    link::pass,
    url::pass,
    #[cfg(feature = "linkifiers")]
    linkify::pass,
    emphasis::strong_pass,
    emphasis::emphasis_pass,
    emphasis::strike_pass,
    emoji::name_pass,
    emoticon::pass,
    emoji::character_pass,
];

/// Parses the text of one block.
pub(crate) fn parse(text: &str, scope: &mut Scope<'_, '_>) -> Vec<Node> {
    if !has_linkifiers(scope.context()) && text.bytes().all(is_plain) {
        return plain(text);
    }
    Parser::new(scope, PASSES).parse_from(0, text)
}

/// Whether the organization has linkifiers, whose patterns any text may match.
#[cfg(feature = "linkifiers")]
fn has_linkifiers(context: &Context<'_>) -> bool {
    !context.linkifiers.is_empty()
}

#[cfg(not(feature = "linkifiers"))]
fn has_linkifiers(_: &Context<'_>) -> bool {
    false
}

/// Whether no construct of the markup can begin or end with this byte.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b',' | b'-' | b'_' | b'!' | b'\'')
}

fn plain(text: &str) -> Vec<Node> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Node::Text(text.to_owned())]
}
