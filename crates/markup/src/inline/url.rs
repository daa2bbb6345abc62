//! Bare URLs, domains and e-mail addresses in running text.
//!
//! Owns their boundaries. A text is split at whitespace and wide punctuation; for each piece, the end of a path and
//! whether only punctuation follows are computed once from the right, so that many candidates in one piece stay
//! linear.
//! Known top-level domains come from the `tld` crate.
//! (docs/protocol/markdown.md#bare-urls, docs/protocol/markdown.md#linkifiers)

use std::ops::Range;

use super::parser::Parser;
use super::rewrite::{PLACEHOLDER, Rewrite, is_word, slice, tail};
use crate::destination;
use crate::node::{Element, Node};
use crate::scripts::{is_unspaced, is_wide_punctuation};
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
    for piece in text.split(|c: char| c.is_whitespace() || is_wide_punctuation(c)) {
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
    let mut place = Place::Word;
    loop {
        if let Some((end, kind)) = piece.link_at(from, place) {
            let range = offset + from..offset + end;
            links.push(BareLink { range, kind });
            from = end;
        }
        let rest = tail(text, from);
        let Some((at, before)) = rest.char_indices().find(|(_, c)| may_precede(*c)) else {
            return;
        };
        from += at + before.len_utf8();
        place = Place::after(before);
    }
}

/// Whether a link may directly follow a character: certain signs, and any character beyond ASCII, since many scripts
/// have no spaces. Private characters are excluded because placeholders end with them.
fn may_precede(character: char) -> bool {
    matches!(character, '\'' | '"' | '(' | ',' | ':' | '<')
        || !(character.is_ascii() || ('\u{e000}'..='\u{f8ff}').contains(&character))
}

/// What a link may be, by the character before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anything: a word begins here.
    Word,
    /// A URL, or a domain or address in ASCII: the characters before are a word without a space behind it.
    Unspaced,
    /// A URL: a letter of a domain is before.
    Letter,
}

impl Place {
    fn after(character: char) -> Self {
        match character {
            c if is_unspaced(c) => Self::Unspaced,
            c if is_label(c) => Self::Letter,
            _ => Self::Word,
        }
    }
}

fn is_label(character: char) -> bool {
    is_word(character) || matches!(character, '.' | '-')
}

/// Text without whitespace and wide punctuation, and properties of every position computed from its right end.
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
    fn link_at(&self, start: usize, place: Place) -> Option<(usize, LinkKind)> {
        let rest = tail(self.text, start);
        let mut protocols = ["http://", "https://"].iter();
        if let Some(protocol) = protocols.find(|protocol| rest.starts_with(**protocol)) {
            return Some((self.url_end(start + protocol.len())?, LinkKind::Url));
        }
        let ascii = run(rest, |c| c.is_ascii() && is_label(c));
        let whole = match place {
            Place::Word => run(rest, is_label),
            Place::Unspaced => ascii,
            Place::Letter => return None,
        };
        // A domain or address that follows a word directly begins at its first ASCII character.
        if ascii == 0 && has_late_ascii(rest.get(..whole).unwrap_or_default()) {
            return None;
        }
        self.name_at(start, start + ascii)
            .or_else(|| self.name_at(start, start + whole).filter(|_| ascii < whole))
    }

    /// The end of a URL whose host begins at `host`.
    fn url_end(&self, host: usize) -> Option<usize> {
        let rest = tail(self.text, host);
        if !rest.starts_with(is_word) {
            return None;
        }
        let is_host = |c: char| is_label(c) || matches!(c, ':' | '@');
        let ascii = host + run(rest, |c| c.is_ascii() && is_host(c));
        let domain = slice(self.text, host..ascii).split(':').next();
        if self.is_before_unspaced(ascii) && domain.is_some_and(is_known_domain) {
            return Some(ascii);
        }
        self.end_behind(host, host + run(rest, is_host))
    }

    /// The end and kind of the domain `start..end`, or of the address with this local part.
    fn name_at(&self, start: usize, end: usize) -> Option<(usize, LinkKind)> {
        if tail(self.text, end).starts_with('@') && end > start {
            return Some((self.address_end(end + 1)?, LinkKind::Email));
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

    /// The end of an address whose domain begins at `domain`.
    fn address_end(&self, domain: usize) -> Option<usize> {
        let rest = tail(self.text, domain);
        let ascii = run(rest, |c| c.is_ascii() && is_label(c));
        [ascii, run(rest, is_label)].into_iter().find_map(|length| {
            let end = self.trimmed(domain, domain + length);
            let (name, last) = slice(self.text, domain..end).rsplit_once('.')?;
            let is_domain = !name.is_empty() && !last.is_empty() && last.chars().all(is_word);
            (is_domain && self.ends_well(end)).then_some(end)
        })
    }

    /// Whether a link may end here: only punctuation follows, or a word that needs no space before it.
    fn ends_well(&self, end: usize) -> bool {
        self.is_tail(end) || self.is_before_unspaced(end)
    }

    /// Whether a script without spaces begins here, directly after ASCII.
    fn is_before_unspaced(&self, at: usize) -> bool {
        let is_after_ascii = self.text.as_bytes().get(..at).and_then(<[u8]>::last);
        is_after_ascii.is_some_and(u8::is_ascii) && tail(self.text, at).starts_with(is_unspaced)
    }

    /// The end of a link whose host is `begin..end`.
    fn end_behind(&self, begin: usize, end: usize) -> Option<usize> {
        let rest = tail(self.text, end);
        let has_path = rest.starts_with('/') || rest.starts_with('?') && !self.is_tail(end);
        let end = match has_path.then_some(end + 1) {
            Some(begin) => {
                let end = self.path_end.get(begin).copied()?;
                if !self.is_tail(end) {
                    return None;
                }
                self.trimmed(begin, end)
            }
            None => self.trimmed(begin, end),
        };
        (end > begin && self.ends_well(end)).then_some(end)
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

/// Whether the first label of a name begins in a script without spaces and continues in ASCII.
fn has_late_ascii(name: &str) -> bool {
    let first = name.split(['.', '@']).next().unwrap_or_default();
    first.starts_with(is_unspaced) && first.contains(|c: char| c.is_ascii_alphanumeric())
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
mod tests;
