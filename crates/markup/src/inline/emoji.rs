//! Emoji, by name between colons and as characters.
//!
//! Owns the order of look-up (custom, the one extra emoji, Unicode) and the output.
//! (docs/protocol/markdown.md#emoji)

use super::parser::Parser;
use super::rewrite::{Rewrite, tail};
use crate::emoji_name;
use crate::node::{Element, Node};
use crate::steps;

/// An emoji every organization has besides the Unicode ones.
const EXTRA_NAME: &str = "zulip";
const EXTRA_URL: &str = "/static/generated/emoji/images/emoji/unicode/zulip.png";

pub(super) fn name_pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find(':') {
        let start = from + offset;
        let begin = start + 1;
        let rest = tail(text, begin);
        let length = rest
            .find(|c| !emoji_name::is_name_character(c))
            .unwrap_or(rest.len());
        steps::spend(offset + length);
        let name = rest.get(..length).unwrap_or_default();
        from = begin + length;
        if !tail(text, from).starts_with(':') || !emoji_name::is_valid(name) {
            continue;
        }
        if let Some(element) = named(parser, name) {
            from += 1;
            parser.replace(&mut rewrite, start..from, element.into_node());
        }
    }
    rewrite.finish()
}

pub(super) fn character_pass(
    parser: &mut Parser<'_, '_, '_>,
    text: &str,
    _: usize,
) -> Option<String> {
    // Every emoji has a character outside ASCII, keycaps included.
    if text.is_ascii() {
        return None;
    }
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find(spindle_emoji::may_begin) {
        let start = from + offset;
        let rest = tail(text, start);
        let Some(found) = spindle_emoji::longest_match(rest) else {
            from = start + rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        from = start + found.length;
        let name = found
            .code
            .and_then(|code| Some((code, spindle_emoji::canonical_name(code)?)));
        if let Some((code, name)) = name {
            parser.replace(&mut rewrite, start..from, unicode(name, code).into_node());
        }
    }
    rewrite.finish()
}

fn named(parser: &Parser<'_, '_, '_>, name: &str) -> Option<Element> {
    if let Some(url) = parser.scope.context.directory.custom_emoji(name) {
        return Some(image(name, url));
    }
    if name == EXTRA_NAME {
        return Some(image(name, EXTRA_URL));
    }
    spindle_emoji::code_for_name(name).map(|code| unicode(name, code))
}

/// A Unicode emoji, with the name by which the text refers to it.
pub(super) fn unicode(name: &str, code: &str) -> Element {
    let title = name.replace('_', " ");
    Element::new("span")
        .attribute("aria-label", title.as_str())
        .attribute("class", format!("emoji emoji-{code}"))
        .attribute("role", "img")
        .attribute("title", title)
        .child(Node::Text(format!(":{name}:")))
}

fn image(name: &str, url: &str) -> Element {
    Element::new("img")
        .attribute("alt", format!(":{name}:"))
        .attribute("class", "emoji")
        .attribute("src", url)
        .attribute("title", name.replace('_', " "))
}
