//! Linkifiers: a pattern and a URL template.
//!
//! Owns compiling both, once for each change of the organization's list, and matching. It must
//! not decide where in a message a match counts. (spec: markup-export-facts 1.11)

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::destination;
use crate::template::{Template, TemplateError};

/// Memory a compiled pattern may take, in bytes.
const SIZE_LIMIT: usize = 1 << 20;
/// The group around the organization's pattern.
const WHOLE: &str = "spindle_linkifier_match";

/// Why a linkifier cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LinkifierError {
    /// The pattern is not a valid regular expression, or too large.
    #[error("the pattern is not valid: {0}")]
    Pattern(#[from] Box<regex::Error>),
    /// The template is not a valid URL template.
    #[error("the URL template is not valid: {0}")]
    Template(#[from] TemplateError),
    /// The template uses a name that is no group of the pattern.
    #[error("the URL template uses {0}, which is no group of the pattern")]
    UnknownGroup(String),
    /// A named group of the pattern does not occur in the template.
    #[error("the group {0} does not occur in the URL template")]
    UnusedGroup(String),
}

/// A compiled linkifier.
#[derive(Clone, Debug)]
pub struct Linkifier {
    pattern: Regex,
    template: Template,
}

/// A place where a linkifier applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkifierMatch {
    pub(crate) range: Range<usize>,
    pub(crate) url: String,
}

impl Linkifier {
    /// Compiles a linkifier. Parameters: an RE2 pattern with named groups, and an RFC 6570
    /// template of exactly these names.
    ///
    /// # Errors
    /// Either is malformed, or they do not fit each other.
    pub fn new(pattern: &str, url_template: &str) -> Result<Self, LinkifierError> {
        let compile = |pattern: &str| {
            RegexBuilder::new(pattern)
                .size_limit(SIZE_LIMIT)
                .build()
                .map_err(Box::new)
        };
        // Compiled alone first: a pattern must not get its parentheses from the frame.
        let alone = compile(pattern)?;
        let template = Template::parse(url_template)?;
        let groups: Vec<&str> = alone.capture_names().flatten().collect();
        if let Some(unknown) = template.names().find(|name| !groups.contains(name)) {
            return Err(LinkifierError::UnknownGroup(unknown.to_owned()));
        }
        if let Some(unused) = groups
            .iter()
            .find(|group| !template.names().any(|n| n == **group))
        {
            return Err(LinkifierError::UnusedGroup((*unused).to_owned()));
        }
        let framed = format!(r#"(?:^|[\s'"(,:<])(?P<{WHOLE}>{pattern})(?:$|[^\pL\p{{Nd}}])"#);
        Ok(Self {
            pattern: compile(&framed)?,
            template,
        })
    }

    /// Every match in a text without markup, in order.
    pub(crate) fn matches(&self, text: &str) -> Vec<LinkifierMatch> {
        let mut found = Vec::new();
        let mut from = 0;
        // What ends one match may be what the next one needs before it: hence not `find_iter`.
        while from <= text.len() {
            let Some(captures) = self.pattern.captures_at(text, from) else {
                break;
            };
            let Some(whole) = captures.name(WHOLE) else {
                break;
            };
            let value = |name: &str| captures.name(name).map(|group| group.as_str());
            let url = self.template.expand(&value);
            from = whole.end().max(from + 1);
            while !text.is_char_boundary(from) {
                from += 1;
            }
            if whole.is_empty() {
                continue;
            }
            if let Some(url) = destination::link_href(&url, "") {
                found.push(LinkifierMatch {
                    range: whole.range(),
                    url,
                });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(linkifier: &Linkifier, text: &str) -> Vec<(Range<usize>, String)> {
        let found = linkifier.matches(text);
        found.into_iter().map(|m| (m.range, m.url)).collect()
    }

    #[test]
    fn matches_stand_free() {
        let linkifier = Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap();
        let found = ranges(&linkifier, "#1 #2,(#3) x#4 #5b é#6 #7");
        let numbers: Vec<&str> = found.iter().map(|(_, url)| &url[18..]).collect();
        assert_eq!(numbers, ["1", "2", "3", "7"]);
        assert_eq!(found[0].0, 0..2);
    }

    #[test]
    fn values_are_encoded_and_urls_are_checked() {
        let linkifier = Linkifier::new("t:(?P<q>\\S+)", "https://t.example/{q}").unwrap();
        assert_eq!(ranges(&linkifier, "t:a/b")[0].1, "https://t.example/a%2Fb");
        let linkifier = Linkifier::new("(?P<q>javascript:\\S+)", "{+q}").unwrap();
        assert!(ranges(&linkifier, "javascript:alert").is_empty());
    }

    #[test]
    fn pattern_and_template_must_fit() {
        assert!(matches!(
            Linkifier::new("(", "x"),
            Err(LinkifierError::Pattern(_))
        ));
        assert!(matches!(
            Linkifier::new("a)(b", "x"),
            Err(LinkifierError::Pattern(_))
        ));
        assert!(matches!(
            Linkifier::new("a", "{id"),
            Err(LinkifierError::Template(_))
        ));
        assert!(matches!(
            Linkifier::new("a", "{id}"),
            Err(LinkifierError::UnknownGroup(_))
        ));
        assert!(matches!(
            Linkifier::new("(?P<id>a)", "x"),
            Err(LinkifierError::UnusedGroup(_))
        ));
        assert!(Linkifier::new("(a{1000}){1000}", "x").is_err());
    }
}
