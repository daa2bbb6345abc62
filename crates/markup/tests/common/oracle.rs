//! An independent oracle for the output: a sanitizer with a real HTML parser.
//!
//! Owns the comparison of the rendered HTML with its sanitized form: tags, texts, names and values of attributes.
//! Unsafe, unbalanced or wrongly nested markup would make the two differ.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use spindle_markup::fuzz::{ATTRIBUTES, TAGS};

/// The schemes that links may have, written here once more, so that a test notices when the renderer
/// allows another.
pub(crate) const SCHEMES: &[&str] = &[
    "bitcoin",
    "file",
    "ftp",
    "geo",
    "http",
    "https",
    "im",
    "irc",
    "ircs",
    "magnet",
    "mailto",
    "matrix",
    "mms",
    "news",
    "nntp",
    "openpgp4fpr",
    "sip",
    "sms",
    "smsto",
    "ssh",
    "tel",
    "urn",
    "webcal",
    "wtai",
    "xmpp",
];

/// Asserts that sanitizing changes nothing.
pub(crate) fn assert_safe(html: &str) {
    let set = |names: &[&'static str]| names.iter().copied().collect::<HashSet<_>>();
    let sanitized = ammonia::Builder::empty()
        .tags(set(TAGS))
        .generic_attributes(set(ATTRIBUTES))
        .url_schemes(set(SCHEMES))
        .link_rel(None)
        .url_relative(ammonia::UrlRelative::PassThrough)
        .clean(html)
        .to_string();
    assert_eq!(pieces(html), pieces(&sanitized), "{html}");
}

/// A text, or a tag with its attributes sorted by name.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Tag(String, Vec<(String, String)>),
}

/// The tags and texts of a fragment, with entities decoded whose form depends on the serializer.
fn pieces(html: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        pieces.push(Piece::Text(decoded(text)));
        let end = after.find([' ', '>']).unwrap();
        let (name, mut behind) = after.split_at(end);
        let mut attributes = Vec::new();
        while let Some(attribute) = behind.strip_prefix(' ') {
            let end = attribute.find(['=', ' ', '>']).unwrap();
            let (name, value) = attribute.split_at(end);
            let Some(value) = value.strip_prefix("=\"") else {
                attributes.push((name.to_owned(), String::new()));
                behind = value;
                continue;
            };
            let (value, after) = value.split_once('"').unwrap();
            let value = decoded(value);
            if !(matches!(name, "href" | "src") && is_nowhere(&value)) {
                attributes.push((name.to_owned(), value));
            }
            behind = after;
        }
        attributes.sort();
        pieces.push(Piece::Tag(name.to_owned(), attributes));
        rest = behind.strip_prefix('>').unwrap();
    }
    pieces.push(Piece::Text(decoded(rest)));
    pieces
}

/// Whether a URL is invalid for browsers too, which is why the sanitizer removes it.
fn is_nowhere(address: &str) -> bool {
    let mut address = address.to_owned();
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ] {
        address = address.replace(entity, character);
    }
    use ammonia::url::ParseError::RelativeUrlWithoutBase;
    matches!(ammonia::Url::parse(&address), Err(error) if error != RelativeUrlWithoutBase)
}

fn decoded(text: &str) -> String {
    if !text.contains(['&', '<', '>', '"', '\u{a0}']) {
        return text.to_owned();
    }
    // Parsing decodes every entity; doing so for a fragment of text gives the same form.
    let text = text.replace("&quot;", "\"").replace('<', "&lt;");
    let parsed = ammonia::Builder::empty().clean(&text).to_string();
    parsed.replace("&nbsp;", "\u{a0}").replace("&quot;", "\"")
}
