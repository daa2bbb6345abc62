//! Linkifiers: a pattern and a URL template.
//!
//! Owns the compilation of both, once for each change of the organization's list, and matching. Must not
//! decide where in a message a match applies. (docs/protocol/markdown.md#linkifiers)

mod pattern;
mod scratch;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;

use spindle_domain::limits::MAX_LINKIFIER_WORK;

use self::pattern::Pattern;
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

/// What linkifiers may still do in one message, or for the topics of one answer.
#[derive(Clone, Debug)]
pub struct SearchBudget {
    links: usize,
    work: u64,
}

impl Default for SearchBudget {
    fn default() -> Self {
        Self {
            links: MAX_LINKS,
            work: MAX_LINKIFIER_WORK,
        }
    }
}

impl SearchBudget {
    /// Allows as many links as at first; the work that is done stays done.
    pub(crate) fn allow_links(&mut self) {
        self.links = MAX_LINKS;
    }

    /// Deducts work. Once some does not fit, none does: which linkifiers apply is decided by their order alone.
    fn take(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_sub(work as u64);
        self.work > 0
    }
}

/// Size of the compiled frame alone. The states of its class beyond ASCII are visited one at a time, and the same for
/// every linkifier.
static FRAME_SIZE: LazyLock<usize> =
    LazyLock::new(|| framed_pattern("", ASCII_END).map_or(0, |frame| frame.size()));

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
    pattern: Pattern,
    source: Arc<str>,
    template: Template,
    /// Compiled size without the frame.
    work_a_byte: usize,
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
/// may be before it: a class of the characters that [`may_precede`] allows would be larger than most patterns.
fn framed(pattern: &str, after: &str) -> String {
    format!(r#"(?:^|[\s'"(,:<[^\x00-\x7F]])(?P<{WHOLE}>{pattern})(?:$|{after})"#)
}

/// What may follow a match, of ASCII.
const ASCII_END: &str = "[^A-Za-z0-9]";

/// The same, of any script.
const EXACT_END: &str = r"[^\pL\p{Nd}]";
/// Work of each byte of a pattern that is compiled during a search.
const COMPILED: usize = 64;

fn framed_pattern(pattern: &str, after: &str) -> Result<Pattern, PatternError> {
    Pattern::new(&framed(pattern, after)).map_err(|error| PatternError::Syntax(error.to_string()))
}

fn framed_exactly(pattern: &str) -> String {
    framed(pattern, EXACT_END)
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
        let groups: Vec<&str> = linkifier
            .pattern
            .group_names()
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
        let template = Template::parse(url_template)?;
        let source = pattern.into();
        let pattern = framed_pattern(pattern, ASCII_END)?;
        let work_a_byte = pattern.size().saturating_sub(*FRAME_SIZE).max(1);
        Ok(Self {
            key: Key::new(),
            pattern,
            source,
            template,
            work_a_byte,
        })
    }

    /// Bytes that the compiled pattern occupies while the linkifier exists.
    #[must_use]
    pub fn size(&self) -> usize {
        self.pattern.size()
    }

    /// Every match in a text without markup, in order, as far as `budget` allows.
    pub(crate) fn matches(&self, text: &str, budget: &mut SearchBudget) -> Vec<LinkifierMatch> {
        let mut found = Vec::new();
        let mut from = 0;
        // The character after one match may be the boundary before the next: hence not `find_iter`.
        while budget.links > 0 && from <= text.len() {
            let Some(captures) = self.search(text, from, budget) else {
                break;
            };
            let Some(whole) = captures.get_group_by_name(WHOLE) else {
                break;
            };
            budget.links -= 1;
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
    fn search(&self, text: &str, from: usize, budget: &mut SearchBudget) -> Option<Captures> {
        let range = from..text.len();
        let work = self.work_a_byte;
        let captures = scratch::search(
            self.key,
            Use::Ascii,
            text,
            range.clone(),
            work,
            budget,
            |_| Some(self.pattern.clone()),
        )?;
        let end = captures.get_group_by_name(WHOLE)?.end;
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        if next.is_none_or(|next| !may_continue_word(next)) {
            return Some(captures);
        }
        // Compiled when a letter or digit beyond ASCII follows a match.
        scratch::search(self.key, Use::Exact, text, range, work, budget, |budget| {
            let pattern = framed_pattern(&self.source, EXACT_END).ok()?;
            budget
                .take(COMPILED.saturating_mul(pattern.size()))
                .then_some(pattern)
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
