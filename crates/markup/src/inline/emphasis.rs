//! Strong, emphasised and struck text.
//!
//! Owns the delimiters `***`, `**`, `*` and `~~`. None of them spans lines.
//! (docs/protocol/markdown.md#inline)

use super::parser::Parser;
use super::rewrite::{Rewrite, slice, tail};
use crate::node::Element;
use crate::steps;

pub(super) fn strong_emphasis_pass(
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
    next: usize,
) -> Option<String> {
    starred_pass(parser, text, "***", |parser, content| {
        let inner = Element::new("em").children(parser.parse_from(next, content));
        Element::new("strong").child(inner.into_node())
    })
}

pub(super) fn emphasis_pass(
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
    next: usize,
) -> Option<String> {
    starred_pass(parser, text, "*", |parser, content| {
        Element::new("em").children(parser.parse_from(next, content))
    })
}

/// Text between two equal runs of asterisks, without asterisks inside and without spaces at its ends.
fn starred_pass(
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
    marker: &str,
    element: impl Fn(&mut Parser<'_, '_, '_>, &str) -> Element,
) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find(marker) {
        let start = from + offset;
        let begin = start + marker.len();
        let Some(length) = tail(text, begin).find(['*', '\n']) else {
            break;
        };
        steps::spend(offset + length);
        let end = begin + length;
        let content = slice(text, begin..end);
        let has_edge_space = content.trim() != content;
        if content.is_empty() {
            from = start + 1;
        } else if has_edge_space || !tail(text, end).starts_with(marker) {
            from = end;
        } else {
            let node = element(parser, content).into_node();
            from = end + marker.len();
            parser.replace(&mut rewrite, start..from, node);
        }
    }
    rewrite.finish()
}

pub(super) fn strong_pass(
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
    next: usize,
) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find("**") {
        let start = from + offset;
        let begin = start + 2;
        // At least one character, which may itself be an asterisk.
        let first = tail(text, begin).chars().next().map_or(0, char::len_utf8);
        let closer = tail(text, begin + first).find("**");
        let end = begin + first + closer.unwrap_or(0);
        steps::spend(offset + closer.unwrap_or(text.len() - start));
        let content = slice(text, begin..end);
        let line_end = content.find('\n').map(|at| begin + at);
        match (closer, line_end) {
            (None, None) => break,
            (_, Some(line_end)) => from = line_end,
            (Some(_), None) => {
                let node = Element::new("strong").children(parser.parse_from(next, content));
                from = end + 2;
                parser.replace(&mut rewrite, start..from, node.into_node());
            }
        }
    }
    rewrite.finish()
}

pub(super) fn strike_pass(
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
    next: usize,
) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find('~') {
        let start = from + offset;
        let run = tail(text, start);
        let rest = run.trim_start_matches('~');
        let begin = start + run.len() - rest.len();
        let Some(length) = rest.find(['~', '\n']) else {
            break;
        };
        steps::spend(offset + length);
        let end = begin + length;
        let closer = tail(text, end);
        let is_pair = begin - start == 2 && closer.starts_with("~~") && !closer.starts_with("~~~");
        if !is_pair || length == 0 {
            from = end;
            continue;
        }
        let content = slice(text, begin..end);
        let node = Element::new("del").children(parser.parse_from(next, content));
        from = end + 2;
        parser.replace(&mut rewrite, start..from, node.into_node());
    }
    rewrite.finish()
}
