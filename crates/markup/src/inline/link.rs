//! Links with a text, and images: `[text](destination "title")`, `![alt](/user_uploads/…)`.
//!
//! Owns their recognition. Brackets are paired once for the whole text, so that unpaired ones add no cost.
//! `destination` checks the destinations.
//! (docs/protocol/markdown.md#links, docs/protocol/markdown.md#media)

use std::collections::HashMap;

use super::parser::Parser;
use super::rewrite::{PLACEHOLDER, Rewrite, head, slice, tail};
use crate::destination;
use crate::node::{Element, Node, text_of};
use crate::{media, steps};

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    if !text.contains("](") {
        return None;
    }
    let brackets = pairs(text, b'[', b']');
    let parentheses = pairs(text, b'(', b')');
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find('[') {
        let start = from + offset;
        from = start + 1;
        let Some(middle) = brackets.get(&start) else {
            continue;
        };
        let Some(end) = parentheses.get(&(middle + 1)) else {
            continue;
        };
        let label = slice(text, start + 1..*middle);
        let target = slice(text, middle + 2..*end);
        let image = (head(text, start).ends_with('!'))
            .then(|| image(parser, label, target))
            .flatten();
        let (element, begin) = match image {
            Some(image) => (Some(image), start - 1),
            // Where there is no image to show, the exclamation mark is text before a link.
            None => (anchor(parser, label, target), start),
        };
        if let Some(element) = element {
            from = end + 1;
            parser.replace(&mut rewrite, begin..from, element.into_node());
        }
    }
    rewrite.finish()
}

/// Opening and closing positions of brackets that pair up.
fn pairs(text: &str, open: u8, close: u8) -> HashMap<usize, usize> {
    steps::spend(text.len());
    let mut pairs = HashMap::new();
    let mut stack = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            stack.push(at);
        } else if byte == close
            && let Some(start) = stack.pop()
        {
            pairs.insert(start, at);
        }
    }
    pairs
}

fn anchor(parser: &mut Parser<'_, '_, '_>, label: &str, target: &str) -> Option<Element> {
    let (target, title) = split_title(target)?;
    let href = destination::link_href(target, parser.scope.context.realm_url)?;
    let mut element = Element::new("a").attribute("href", href);
    if let Some(title) = title {
        element = element.attribute("title", title);
    }
    if label.trim().is_empty() {
        return Some(element.child(Node::Text(target.to_owned())));
    }
    // The text is literal except for nodes that earlier passes have recognized.
    let children = parser
        .resolve(label)
        .into_iter()
        .map(without_link)
        .collect();
    Some(element.children(children))
}

/// Links do not nest: a channel link in the text of a link shows only its own text.
fn without_link(node: Node) -> Node {
    match node {
        Node::Element(element) if element.tag == "a" => Node::Text(text_of(&element.children)),
        Node::Element(mut element) => {
            element.children = element.children.into_iter().map(without_link).collect();
            Node::Element(element)
        }
        text => text,
    }
}

/// `![label](target)`; `None` if the target is not an upload that the sender can access.
fn image(parser: &mut Parser<'_, '_, '_>, label: &str, target: &str) -> Option<Element> {
    let (url, _) = split_title(target)?;
    if label.contains(PLACEHOLDER) {
        return None;
    }
    let context = parser.scope.context;
    let href = destination::link_href(url, context.realm_url)?;
    let path_id = destination::upload_of_href(&href)?;
    let file = (context.uploaded_files)(&path_id)?;
    let Some(element) = media::inline_media(&path_id, label, &file) else {
        // A file that is neither image nor audio becomes a link.
        return anchor(parser, label, target);
    };
    let outcome = &mut parser.scope.outcome;
    outcome.has_image |= element.tag == "img" && !parser.scope.is_quoted;
    outcome.attachments.insert(path_id);
    Some(element)
}

/// The destination and the quoted title after it; `None` if the destination spans lines or contains other
/// markup.
fn split_title(target: &str) -> Option<(&str, Option<&str>)> {
    steps::spend(target.len());
    if target.contains(['\n', PLACEHOLDER]) {
        return None;
    }
    let target = target.trim();
    let quote = target
        .chars()
        .next_back()
        .filter(|c| matches!(c, '"' | '\''));
    let titled = quote.and_then(|quote| {
        let body = target.strip_suffix(quote)?;
        let opening = if quote == '"' { " \"" } else { " '" };
        body.split_once(opening)
    });
    let (url, title) = match titled {
        Some((url, title)) => (url.trim_end(), Some(title)),
        None => (target, None),
    };
    let inner = url.strip_prefix('<').and_then(|url| url.strip_suffix('>'));
    Some((inner.unwrap_or(url), title))
}
