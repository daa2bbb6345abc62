//! Formulas: `$$x$$` in a line, and the blocks of a `math` fence.
//!
//! Owns their recognition and their output in KaTeX's structure, which clients require. Does not typeset:
//! clients use the TeX source in the annotation, so the MathML and the visual part contain that source as
//! text. (docs/protocol/markdown.md#math)

use super::parser::Parser;
use super::rewrite::{Rewrite, head, is_word, slice, tail};
use crate::node::{Element, Node};
use crate::steps;

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find("$$") {
        let start = from + offset;
        let begin = start + 2;
        let end = begin + body_length(tail(text, begin));
        steps::spend(end - from);
        let body = slice(text, begin..end);
        let after = tail(text, end);
        let is_formula = may_adjoin(head(text, start).chars().next_back())
            && !body.is_empty()
            && !body.starts_with('_')
            && !body.contains(super::rewrite::PLACEHOLDER)
            && after
                .strip_prefix("$$")
                .is_some_and(|rest| may_adjoin(rest.chars().next()));
        if is_formula {
            from = end + 2;
            parser.replace(&mut rewrite, start..from, formula(body, false));
        } else {
            from = end.max(start + 1);
        }
    }
    rewrite.finish()
}

/// Bytes up to the next dollar sign without a backslash, or to the end of the line.
fn body_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => return at,
            b'$' if !is_escaped => return at,
            _ => is_escaped = byte == b'\\',
        }
    }
    text.len()
}

fn may_adjoin(neighbour: Option<char>) -> bool {
    neighbour.is_none_or(|c| !is_word(c) && c != '$')
}

pub(crate) fn display_formula(source: &str) -> Node {
    formula(source, true)
}

fn formula(source: &str, is_display: bool) -> Node {
    if !has_balanced_braces(source) {
        let shown = if is_display {
            source.to_owned()
        } else {
            format!("$${source}$$")
        };
        return Element::new("span")
            .attribute("class", "tex-error")
            .child(Node::Verbatim(shown))
            .into_node();
    }
    let verbatim = |element: Element| element.child(Node::Verbatim(source.to_owned())).into_node();
    let annotation = Element::new("annotation").attribute("encoding", "application/x-tex");
    let semantics = Element::new("semantics")
        .child(
            Element::new("mrow")
                .child(verbatim(Element::new("mtext")))
                .into_node(),
        )
        .child(verbatim(annotation));
    let mut math = Element::new("math").attribute("xmlns", "http://www.w3.org/1998/Math/MathML");
    if is_display {
        math = math.attribute_behind("display", "block");
    }
    let span = |class: &str| Element::new("span").attribute("class", class);
    let visual = span("base").child(verbatim(span("mord")));
    let katex = span("katex")
        .child(
            span("katex-mathml")
                .child(math.child(semantics.into_node()).into_node())
                .into_node(),
        )
        .child(
            span("katex-html")
                .attribute_behind("aria-hidden", "true")
                .child(visual.into_node())
                .into_node(),
        );
    if is_display {
        return span("katex-display").child(katex.into_node()).into_node();
    }
    katex.into_node()
}

/// Whether braces are balanced, the only error of TeX sources that can be detected without typesetting.
fn has_balanced_braces(source: &str) -> bool {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for byte in source.bytes() {
        match byte {
            b'{' if !is_escaped => depth += 1,
            b'}' if !is_escaped => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    depth == 0
}
