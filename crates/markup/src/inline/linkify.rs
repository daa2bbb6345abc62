//! Linkifiers: patterns of the organization that become links.
//!
//! Owns where matches apply: never inside of code, links or other markup.
//! (docs/protocol/markdown.md#linkifiers)

use super::parser::Parser;
use super::rewrite::{PLACEHOLDER, Rewrite, slice, split_index};
use crate::node::{Element, Node};

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let linkifiers = parser.scope.context.linkifiers;
    let mut current: Option<String> = None;
    for linkifier in linkifiers {
        let source = current.as_deref().unwrap_or(text);
        if let Some(rewritten) = apply(linkifier, parser, source) {
            current = Some(rewritten);
        }
    }
    current
}

fn apply(
    linkifier: &crate::Linkifier,
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut offset = 0;
    for (number, piece) in text.split(PLACEHOLDER).enumerate() {
        let plain = if number == 0 {
            piece
        } else {
            split_index(piece).1
        };
        let begin = offset + piece.len() - plain.len();
        let searches = &mut parser.scope.outcome.searches;
        for link in linkifier.matches(plain, searches) {
            // The piece follows markup, directly after which no link may begin.
            if number > 0 && link.range.start == 0 {
                continue;
            }
            let range = begin + link.range.start..begin + link.range.end;
            let element = Element::new("a")
                .attribute("href", link.url)
                .child(Node::Text(slice(text, range.clone()).to_owned()));
            parser.replace(&mut rewrite, range, element.into_node());
        }
        offset += piece.len() + PLACEHOLDER.len_utf8();
    }
    rewrite.finish()
}
