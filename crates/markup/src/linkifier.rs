//! Linkifiers: a pattern and a URL template.
//!
//! Owns the compilation of both, once for each change of the organization's list, and matching. Must not
//! decide where in a message a match applies. (docs/protocol/markdown.md#linkifiers)

mod scratch;

use std::ops::Range;
use std::sync::Arc;

use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;

use self::scratch::{Key, Use};
use crate::destination;
use crate::reverse_template::{ReverseTemplate, ReverseTemplateError};
use crate::scripts::{is_unspaced, is_wide_punctuation};
use crate::template::{Template, TemplateError};

/// Most memory of one direction of a compiled pattern, in bytes.
const SIZE_LIMIT: usize = 1 << 20;
/// Most memory of a table of a search, in bytes.
const CACHE_LIMIT: usize = 1 << 18;
/// Deepest nesting of groups in a pattern.
const NEST_LIMIT: u32 = 50;
/// The group around the organization's pattern.
const WHOLE: &str = "spindle_linkifier_match";
/// Most links that linkifiers create in one message. Each needs a search that may scan the whole text: the
/// limit keeps rendering linear.
pub(crate) const MAX_LINKS: usize = 1_000;

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// It is not a valid regular expression, or too large.
    #[error("the pattern is not valid: {0}")]
    Syntax(String),
    /// It matches the empty text.
    #[error("the pattern matches the empty text")]
    Empty,
}

/// Why a linkifier cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LinkifierError {
    /// The pattern is not a valid regular expression, or too large.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The template is not a valid URL template.
    #[error("the URL template is not valid: {0}")]
    Template(#[from] TemplateError),
    /// The template uses a name that is not a group of the pattern.
    #[error("the URL template uses {0}, which is no group of the pattern")]
    UnknownGroup(String),
    /// A named group of the pattern does not occur in the template.
    #[error("the group {0} does not occur in the URL template")]
    UnusedGroup(String),
}

/// Why an example or a reverse template does not match a pattern.
#[derive(Debug, thiserror::Error)]
pub enum ReverseError {
    /// The pattern is not a valid regular expression, or too large.
    #[error("the pattern is not valid: {0}")]
    Pattern(String),
    /// The pattern does not match the whole example.
    #[error("the pattern does not match the example")]
    Example,
    /// The template is malformed.
    #[error("the reverse template is not valid: {0}")]
    Template(#[from] ReverseTemplateError),
    /// The template uses a name that is no group of the pattern.
    #[error("the reverse template uses {0}, which is no group of the pattern")]
    UnknownGroup(String),
    /// With the values of the example, the template does not reproduce the example.
    #[error("the reverse template does not lead back to the example")]
    RoundTrip,
}

/// A compiled linkifier of constant size; searches keep their tables in [`scratch`].
#[derive(Clone, Debug)]
pub struct Linkifier {
    key: Key,
    /// The pattern framed with word boundaries for ASCII only: Unicode classes would make it twenty times
    /// as large.
    pattern: Regex,
    source: Arc<str>,
    template: Template,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkifierMatch {
    pub(crate) range: Range<usize>,
    pub(crate) url: String,
}

/// Compiles without prebuilt automata. They would take most of the memory and time, and only speed up searches with a
/// match.
fn compile(pattern: &str) -> Result<Regex, PatternError> {
    let config = Config::new()
        .nfa_size_limit(Some(SIZE_LIMIT))
        .hybrid_cache_capacity(CACHE_LIMIT)
        .onepass(false)
        .dfa(false);
    Regex::builder()
        .syntax(syntax::Config::new().nest_limit(NEST_LIMIT))
        .configure(config)
        .build(pattern)
        .map_err(|error| PatternError::Syntax(reason(&error)))
}

fn reason(error: &BuildError) -> String {
    match (error.syntax_error(), error.size_limit()) {
        (Some(error), _) => error.to_string(),
        (None, Some(limit)) => format!("it takes more than {limit} bytes when it is compiled"),
        (None, None) => error.to_string(),
    }
}

/// A pattern framed with word boundaries; `after` matches what may follow besides the end. Any character beyond ASCII
/// may be before: a class of those that [`may_precede`] allows would be larger than most patterns.
fn framed(pattern: &str, after: &str) -> String {
    format!(r#"(?:^|[\s'"(,:<[^\x00-\x7F]])(?P<{WHOLE}>{pattern})(?:$|{after})"#)
}

fn framed_exactly(pattern: &str) -> String {
    framed(pattern, r"[^\pL\p{Nd}]")
}

/// Checks a URL template of RFC 6570, without a pattern.
///
/// # Errors
/// It is malformed.
pub fn check_url_template(template: &str) -> Result<(), TemplateError> {
    Template::parse(template).map(|_| ())
}

/// The names of the variables of a URL template (RFC 6570), each once, in order.
///
/// # Errors
/// It is malformed.
pub fn url_template_variables(template: &str) -> Result<Vec<String>, TemplateError> {
    let template = Template::parse(template)?;
    let mut names: Vec<String> = template.names().map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Checks that a pattern can be compiled.
///
/// # Errors
/// It is malformed, too large, or matches the empty text.
pub fn check_pattern(pattern: &str) -> Result<(), PatternError> {
    // Without the frame first: the frame must not complete unbalanced parentheses of a pattern.
    if compile(pattern)?.is_match("") {
        return Err(PatternError::Empty);
    }
    compile(&framed_exactly(pattern))?;
    Ok(())
}

/// Checks that the pattern matches the whole `example`, and that `reverse_template` reproduces the example
/// from the values found there.
///
/// # Errors
/// One of these conditions is violated.
pub fn check_example(
    pattern: &str,
    example: &str,
    reverse_template: Option<&str>,
) -> Result<(), ReverseError> {
    let whole = compile(&format!(r"\A(?:{pattern})\z")).map_err(|error| match error {
        PatternError::Syntax(reason) => ReverseError::Pattern(reason),
        PatternError::Empty => ReverseError::Example,
    })?;
    let mut captures = whole.create_captures();
    whole.captures(example, &mut captures);
    if !captures.is_match() {
        return Err(ReverseError::Example);
    }
    let Some(template) = reverse_template else {
        return Ok(());
    };
    let template = ReverseTemplate::parse(template)?;
    let groups: Vec<&str> = group_names(&whole).collect();
    let unknown = template.names().filter(|name| !groups.contains(name)).min();
    if let Some(unknown) = unknown {
        return Err(ReverseError::UnknownGroup(unknown.to_owned()));
    }
    let value = |name: &str| group(&captures, name, example).unwrap_or_default();
    if template.expand(&value) == example {
        Ok(())
    } else {
        Err(ReverseError::RoundTrip)
    }
}

impl Linkifier {
    /// Compiles a linkifier. Parameters: an RE2 pattern with named groups, and an RFC 6570
    /// template of exactly these names.
    ///
    /// # Errors
    /// Either is malformed, or their names differ.
    pub fn new(pattern: &str, url_template: &str) -> Result<Self, LinkifierError> {
        check_pattern(pattern)?;
        let linkifier = Self::of_checked(pattern, url_template)?;
        let groups: Vec<&str> = group_names(&linkifier.pattern)
            .filter(|name| *name != WHOLE)
            .collect();
        let names: Vec<&str> = linkifier.template.names().collect();
        if let Some(unknown) = names.iter().filter(|name| !groups.contains(name)).min() {
            return Err(LinkifierError::UnknownGroup((*unknown).to_owned()));
        }
        if let Some(unused) = groups.iter().filter(|name| !names.contains(name)).min() {
            return Err(LinkifierError::UnusedGroup((*unused).to_owned()));
        }
        Ok(linkifier)
    }

    /// Compiles a linkifier that [`Linkifier::new`] has accepted before, with less work.
    ///
    /// # Errors
    /// Either is malformed.
    pub fn of_checked(pattern: &str, url_template: &str) -> Result<Self, LinkifierError> {
        Ok(Self {
            key: Key::new(),
            pattern: compile(&framed(pattern, "[^A-Za-z0-9]"))?,
            source: pattern.into(),
            template: Template::parse(url_template)?,
        })
    }

    /// Bytes that the compiled pattern occupies while the linkifier exists.
    #[must_use]
    pub fn size(&self) -> usize {
        self.pattern.memory_usage()
    }

    /// Every match in a text without markup, in order; deducts their number from `budget`.
    pub(crate) fn matches(&self, text: &str, budget: &mut usize) -> Vec<LinkifierMatch> {
        let mut found = Vec::new();
        let mut from = 0;
        // The character after one match may be the boundary before the next: hence not `find_iter`.
        while *budget > 0 && from <= text.len() {
            let Some(captures) = self.search(text, from) else {
                break;
            };
            let Some(whole) = captures.get_group_by_name(WHOLE) else {
                break;
            };
            *budget -= 1;
            let before = text
                .get(..whole.start)
                .and_then(|head| head.chars().next_back());
            if !before.is_none_or(may_precede) {
                from = whole.start;
                continue;
            }
            let url = self.template.expand(&|name| group(&captures, name, text));
            from = next_start(text, from, whole.end);
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

    /// The first match after `from`. A match of the ASCII pattern that the exact pattern accepts too is also
    /// the first match of the exact pattern.
    fn search(&self, text: &str, from: usize) -> Option<Captures> {
        let range = from..text.len();
        let captures = scratch::search(self.key, Use::Ascii, text, range.clone(), || {
            Some(self.pattern.clone())
        })?;
        let end = captures.get_group_by_name(WHOLE)?.end;
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        if next.is_none_or(|next| !may_continue_word(next)) {
            return Some(captures);
        }
        // Compiled when a letter or digit beyond ASCII follows a match.
        scratch::search(self.key, Use::Exact, text, range, || {
            compile(&framed_exactly(&self.source)).ok()
        })
    }
}

/// The named groups of a pattern.
fn group_names(pattern: &Regex) -> impl Iterator<Item = &str> {
    pattern
        .group_info()
        .all_names()
        .filter_map(|(_, _, name)| name)
}

/// The text of a group, if it has taken part in the match.
fn group<'t>(captures: &Captures, name: &str, text: &'t str) -> Option<&'t str> {
    text.get(captures.get_group_by_name(name)?.range())
}

/// The start of the next search: after the match, and at least one character further.
fn next_start(text: &str, from: usize, end: usize) -> usize {
    let step = text.get(from..).and_then(|rest| rest.chars().next());
    end.max(from + step.map_or(1, char::len_utf8))
}

/// Whether a match may follow a character that the frame admits.
fn may_precede(character: char) -> bool {
    character.is_ascii()
        || character.is_whitespace()
        || is_unspaced(character)
        || is_wide_punctuation(character)
}

/// Whether a character beyond ASCII may be of the classes L and Nd, but no letter of a script without spaces; also true
/// for some marks and numerals, which the exact pattern excludes.
fn may_continue_word(character: char) -> bool {
    !character.is_ascii() && character.is_alphanumeric() && !is_unspaced(character)
}

#[cfg(test)]
mod tests;
