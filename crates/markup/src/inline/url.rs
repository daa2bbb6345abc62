//! Bare URLs, domains and e-mail addresses in running text.
//!
//! Owns their boundaries. A text is split at whitespace; for each piece, the end of a path and whether only
//! punctuation follows are computed once from the right, so that many candidates in one piece stay linear.
//! Known top-level domains come from the `tld` crate.
//! (docs/protocol/markdown.md#bare-urls, docs/protocol/markdown.md#linkifiers)

use std::ops::Range;

use super::parser::Parser;
use super::rewrite::{PLACEHOLDER, Rewrite, is_word, slice, tail};
use crate::destination;
use crate::node::{Element, Node};
use crate::steps;

/// Top-level domains that are more often file names.
const FILE_ENDINGS: &[&str] = &["java", "md", "mov", "py", "zip"];

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    for link in links_in(text) {
        let shown = slice(text, link.range.clone());
        let url = format!("{}{shown}", link.kind.prefix("http://"));
        let href = destination::relative_to(&url, parser.scope.context.realm_url);
        let element = Element::new("a")
            .attribute("href", href)
            .child(Node::Text(shown.to_owned()));
        parser.replace(&mut rewrite, link.range, element.into_node());
    }
    rewrite.finish()
}

/// A link found in running text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BareLink {
    pub(crate) range: Range<usize>,
    pub(crate) kind: LinkKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Url,
    Domain,
    Email,
}

impl LinkKind {
    /// The prefix that makes the text a URL; `scheme` completes a domain.
    pub(crate) fn prefix(self, scheme: &'static str) -> &'static str {
        match self {
            Self::Url => "",
            Self::Domain => scheme,
            Self::Email => "mailto:",
        }
    }
}

/// Every bare link of a text, in order.
pub(crate) fn links_in(text: &str) -> Vec<BareLink> {
    let mut links = Vec::new();
    if !text.contains(['.', '/']) {
        return links;
    }
    let mut begin = 0;
    for piece in text.split(char::is_whitespace) {
        let offset = begin;
        begin += piece.len();
        begin += tail(text, begin).chars().next().map_or(0, char::len_utf8);
        if piece.contains('.') || piece.contains("://") {
            find_in_piece(piece, offset, &mut links);
        }
    }
    links
}

fn find_in_piece(text: &str, offset: usize, links: &mut Vec<BareLink>) {
    let piece = Piece::new(text);
    let mut from = 0;
    while from < text.len() {
        if let Some((end, kind)) = piece.link_at(from) {
            let range = offset + from..offset + end;
            links.push(BareLink { range, kind });
            from = end;
        }
        // Continue after the next character that may precede a link.
        let rest = tail(text, from);
        match rest.find(['\'', '"', '(', ',', ':', '<']) {
            Some(at) => from += at + 1,
            None => return,
        }
    }
}

/// Text without whitespace, and properties of every position computed from its right end.
struct Piece<'t> {
    text: &'t str,
    /// The latest end of a path that begins at each position.
    path_end: Vec<usize>,
    /// Whether only punctuation follows each position.
    is_tail: Vec<bool>,
}

impl<'t> Piece<'t> {
    fn new(text: &'t str) -> Self {
        steps::spend(text.len());
        let closers = closers(text);
        let mut path_end = vec![text.len(); text.len() + 1];
        let mut is_tail = vec![true; text.len() + 1];
        let at = |vector: &[usize], index: usize| vector.get(index).copied().unwrap_or(index);
        for (index, byte) in text.bytes().enumerate().rev() {
            let end = match (byte, closers.get(index).copied().flatten()) {
                (b'(', Some(closer)) => at(&path_end, closer + 1),
                (b'(' | b')' | b'"', _) => index,
                _ if byte == PLACEHOLDER as u8 => index,
                _ => at(&path_end, index + 1),
            };
            let follows = is_tail.get(index + 1).copied().unwrap_or(true);
            if let Some(slot) = path_end.get_mut(index) {
                *slot = end;
            }
            if let Some(slot) = is_tail.get_mut(index) {
                *slot = follows && is_punctuation(byte);
            }
        }
        Self {
            text,
            path_end,
            is_tail,
        }
    }

    fn is_tail(&self, at: usize) -> bool {
        self.is_tail.get(at).copied().unwrap_or(false)
    }

    /// The end and kind of the link that begins at `start`.
    fn link_at(&self, start: usize) -> Option<(usize, LinkKind)> {
        let rest = tail(self.text, start);
        let protocol = ["http://", "https://"]
            .iter()
            .find(|protocol| rest.starts_with(**protocol));
        if let Some(protocol) = protocol {
            let host = start + protocol.len();
            let is_host = |c: char| is_word(c) || matches!(c, '.' | ':' | '@' | '-');
            if !tail(self.text, host).starts_with(is_word) {
                return None;
            }
            let end = host + run(tail(self.text, host), is_host);
            return Some((self.end_behind(host, end)?, LinkKind::Url));
        }
        let is_label = |c: char| is_word(c) || matches!(c, '.' | '-');
        let end = start + run(rest, is_label);
        if tail(self.text, end).starts_with('@') && end > start {
            let domain = end + 1;
            let end = domain + run(tail(self.text, domain), is_label);
            let end = self.trimmed(domain, end);
            let (name, last) = slice(self.text, domain..end).rsplit_once('.')?;
            let is_domain = !name.is_empty() && !last.is_empty() && last.chars().all(is_word);
            return (is_domain && self.is_tail(end)).then_some((end, LinkKind::Email));
        }
        let has_path = tail(self.text, end).starts_with('/');
        let host_end = if has_path {
            end
        } else {
            self.trimmed(start, end)
        };
        if !is_known_domain(slice(self.text, start..host_end)) {
            return None;
        }
        Some((self.end_behind(start, end)?, LinkKind::Domain))
    }

    /// The end of a link whose host is `begin..end`.
    fn end_behind(&self, begin: usize, end: usize) -> Option<usize> {
        let begin_of_path = tail(self.text, end).starts_with('/').then_some(end + 1);
        let end = match begin_of_path {
            Some(begin) => {
                let end = self.path_end.get(begin).copied()?;
                if !self.is_tail(end) {
                    return None;
                }
                self.trimmed(begin, end)
            }
            None => self.trimmed(begin, end),
        };
        (end > begin && self.is_tail(end)).then_some(end)
    }

    /// `end` without the punctuation before it; a closing parenthesis is kept if its partner is inside.
    fn trimmed(&self, begin: usize, end: usize) -> usize {
        let text = slice(self.text, begin..end);
        let is_end = |c: char| c != ')' && u8::try_from(c).is_ok_and(is_punctuation);
        let trimmed = text.trim_end_matches(is_end).len();
        steps::spend(text.len() - trimmed);
        begin + trimmed
    }
}

/// Whether a character may separate a link from the whitespace after it.
fn is_punctuation(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b':' | b';' | b'?' | b')' | b',' | b'.' | b'\'' | b'"' | b'>'
    )
}

/// For each opening parenthesis the closing one, within ranges without quotes.
fn closers(text: &str) -> Vec<Option<usize>> {
    let mut closers = vec![None; text.len()];
    let mut stack = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => stack.push(at),
            b')' => {
                if let Some(slot) = stack.pop().and_then(|open: usize| closers.get_mut(open)) {
                    *slot = Some(at);
                }
            }
            b'"' => stack.clear(),
            _ if byte == PLACEHOLDER as u8 => stack.clear(),
            _ => {}
        }
    }
    closers
}

/// Length in bytes of the leading characters that satisfy a condition.
fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    let length = text.find(|c| !holds(c)).unwrap_or(text.len());
    steps::spend(length);
    length
}

fn is_known_domain(host: &str) -> bool {
    let Some((name, last)) = host.rsplit_once('.') else {
        return false;
    };
    let is_lower = !last.contains(char::is_uppercase);
    is_lower
        && is_top_level(last)
        && !FILE_ENDINGS.contains(&last)
        && name.split('.').all(|label| !label.is_empty())
}

/// Longest label of a domain, in bytes of its encoded form.
const LONGEST_LABEL: usize = 63;

/// Whether a label is a known top-level domain, in its own script or encoded (RFC 5890).
fn is_top_level(label: &str) -> bool {
    if label.is_ascii() {
        return tld::exist(label);
    }
    label.len() <= LONGEST_LABEL * 4
        && punycode::encode(label).is_ok_and(|encoded| tld::exist(&format!("xn--{encoded}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let links = links_in(text);
        links
            .iter()
            .map(|link| slice(text, link.range.clone()))
            .collect()
    }

    #[test]
    fn links_end_before_punctuation() {
        assert_eq!(
            found("see http://e.com/a, (https://e.com/b)."),
            ["http://e.com/a", "https://e.com/b"]
        );
        assert_eq!(found("<http://e.com>"), ["http://e.com"]);
        assert_eq!(found("http://e.com/a_(b) x"), ["http://e.com/a_(b)"]);
        assert_eq!(found("(http://e.com/a_(b))"), ["http://e.com/a_(b)"]);
        assert_eq!(found("http://e.com/?"), ["http://e.com/"]);
        assert_eq!(
            found("http://localhost:3000/x"),
            ["http://localhost:3000/x"]
        );
        assert_eq!(found("a http://e.com/*b* c"), ["http://e.com/*b*"]);
    }

    #[test]
    fn what_is_no_link() {
        for text in [
            "HTTP://e.com",
            "http://e.com?x=1",
            "http://e.com#x",
            "http://[::1]/",
            "xhttp://e.com",
            "*http://e.com*",
            "http://e.com/a\"b",
            "http://e.com/a(b",
            "http://",
            "http://:smile",
            "README.md",
            "main.py",
            "e.com:80",
            "..com",
            "tel:123",
            "ftp://e.com/x",
            "a@b",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn domains_and_addresses() {
        assert_eq!(found("go to e.com."), ["e.com"]);
        assert_eq!(found("e.com/x?y=1!"), ["e.com/x?y=1"]);
        assert_eq!(found("mail a.b@c.org, now"), ["a.b@c.org"]);
        assert_eq!(
            found("пример.рф, xn--e1afmkfd.xn--p1ai"),
            ["пример.рф", "xn--e1afmkfd.xn--p1ai"]
        );
        assert_eq!(found("例え.テスト"), [""; 0]);
        assert_eq!(links_in("a@c.org")[0].kind, LinkKind::Email);
        assert_eq!(links_in("c.org")[0].kind, LinkKind::Domain);
    }
}
