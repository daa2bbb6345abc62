//! An independent judge of the output: a sanitizer on a real HTML parser.
//!
//! Owns the comparison of what was rendered with what the sanitizer leaves of it. If anything
//! were unsafe, unbalanced or nested in a way browsers repair, the two would differ.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

const TAGS: &[&str] = &[
    "a",
    "audio",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "tr",
    "ul",
    "video",
];

/// Asserts that sanitizing changes neither the elements nor the text.
pub(crate) fn assert_safe(html: &str) {
    // The sanitizer has its own opinion on MathML, which the facts test covers.
    if html.contains("<math") {
        return;
    }
    let sanitized = ammonia::Builder::empty()
        .tags(TAGS.iter().copied().collect::<HashSet<_>>())
        .generic_attributes(HashSet::from(["class", "href", "src", "style", "title"]))
        .url_schemes(HashSet::from([
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
        ]))
        .link_rel(None)
        .url_relative(ammonia::UrlRelative::PassThrough)
        .clean(html)
        .to_string();
    assert_eq!(pieces(html), pieces(&sanitized), "{html}");
}

/// Names of tags, links and text in order, with the few entities a serializer chooses freely.
fn pieces(html: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').unwrap();
        pieces.push(decoded(text));
        pieces.push(tag.split(' ').next().unwrap().to_owned());
        pieces.push(destinations(tag).to_string());
        rest = behind;
    }
    pieces.push(decoded(rest));
    pieces
}

/// How many destinations a tag has, without those that no browser could open either and that
/// the sanitizer therefore drops.
fn destinations(tag: &str) -> usize {
    [" href=\"", " src=\""]
        .iter()
        .flat_map(|name| tag.split_once(name))
        .filter(|(_, rest)| {
            let mut value = rest.split('"').next().unwrap().to_owned();
            for (entity, character) in [
                ("&lt;", "<"),
                ("&gt;", ">"),
                ("&quot;", "\""),
                ("&amp;", "&"),
            ] {
                value = value.replace(entity, character);
            }
            use ammonia::url::ParseError::RelativeUrlWithoutBase;
            !matches!(ammonia::Url::parse(&value), Err(error) if error != RelativeUrlWithoutBase)
        })
        .count()
}

fn decoded(text: &str) -> String {
    // Parsing decodes every entity; doing so for a fragment of text gives the same form.
    let parsed = ammonia::Builder::empty().clean(text).to_string();
    parsed.replace("&nbsp;", "\u{a0}")
}
