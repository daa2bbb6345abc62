//! Inline markup of one block.
//!
//! Constructs have a fixed precedence over the whole text, not from left to right, so each is
//! one pass over it. What a pass recognises becomes a node, and a placeholder (U+0002, which no
//! normalized content holds, and two private characters) takes its place, opaque to later
//! passes. Every pass is linear, and the text inside a node is seen by later passes only there,
//! so the whole is linear too. Nesting is bounded by the number of passes.
//! (spec: markup-export-facts 1.2 "Inline", 1.5)

mod channel_link;
mod code_span;
mod emoji;
mod emoticon;
mod emphasis;
mod link;
#[cfg(feature = "linkifiers")]
mod linkify;
mod math;
mod mention;
mod rewrite;
mod time;
mod url;

use crate::context::Context;
use crate::node::{Element, Node};
use crate::render::Outcome;
use crate::steps;
use rewrite::{PLACEHOLDER, Rewrite};

pub(crate) use code_span::code_span_ranges;
pub(crate) use math::display_formula;
pub(crate) use url::links_in as bare_links;

/// What inline markup is parsed with: settings, and where findings are noted.
pub(crate) struct Scope<'c, 'o> {
    context: &'c Context<'c>,
    outcome: &'o mut Outcome,
    /// Inside a quote, where nobody is notified.
    is_quoted: bool,
}

impl<'c, 'o> Scope<'c, 'o> {
    pub(crate) fn new(context: &'c Context<'c>, outcome: &'o mut Outcome) -> Self {
        Self {
            context,
            outcome,
            is_quoted: false,
        }
    }

    pub(crate) fn context(&self) -> &'c Context<'c> {
        self.context
    }

    /// Runs `parse` for the contents of a quote.
    pub(crate) fn quoted<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_quoted, true);
        let parsed = parse(self);
        self.is_quoted = outer;
        parsed
    }
}

/// A pass: gives the text with placeholders, or nothing if it recognised nothing. The number
/// is that of the next pass, for texts inside what it recognises.
type Pass = for<'t> fn(&mut Parser<'_, '_, '_>, &'t str, usize) -> Option<String>;

const PASSES: &[Pass] = &[
    code_span::pass,
    emphasis::strong_emphasis_pass,
    mention::user_pass,
    math::pass,
    channel_link::pass,
    time::pass,
    mention::group_pass,
    link::pass,
    url::pass,
    #[cfg(feature = "linkifiers")]
    linkify::pass,
    emphasis::strong_pass,
    emphasis::emphasis_pass,
    emphasis::strike_pass,
    emoji::name_pass,
    emoticon::pass,
    emoji::character_pass,
];

/// Parses the text of one block.
pub(crate) fn parse(text: &str, scope: &mut Scope<'_, '_>) -> Vec<Node> {
    if !has_linkifiers(scope.context) && text.bytes().all(is_plain) {
        return plain(text);
    }
    let mut parser = Parser {
        scope,
        nodes: Vec::new(),
    };
    parser.parse_from(0, text)
}

/// Whether there are patterns that any text may match.
#[cfg(feature = "linkifiers")]
fn has_linkifiers(context: &Context<'_>) -> bool {
    !context.linkifiers.is_empty()
}

#[cfg(not(feature = "linkifiers"))]
fn has_linkifiers(_: &Context<'_>) -> bool {
    false
}

/// Whether no construct of the markup can begin or end with this byte.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b',' | b'-' | b'_' | b'!' | b'\'')
}

fn plain(text: &str) -> Vec<Node> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Node::Text(text.to_owned())]
}

struct Parser<'p, 'c, 'o> {
    scope: &'p mut Scope<'c, 'o>,
    /// What placeholders stand for; taken when the surrounding node is made.
    nodes: Vec<Option<Node>>,
}

impl Parser<'_, '_, '_> {
    /// Applies the passes from number `from` on and puts the nodes in.
    fn parse_from(&mut self, from: usize, text: &str) -> Vec<Node> {
        let mut current = std::borrow::Cow::Borrowed(text);
        for (number, pass) in PASSES.iter().enumerate().skip(from) {
            steps::spend(current.len());
            if let Some(rewritten) = pass(self, &current, number + 1) {
                current = rewritten.into();
            }
        }
        self.resolve(&current)
    }

    /// Puts a node aside and its placeholder into the text.
    fn replace(&mut self, rewrite: &mut Rewrite<'_>, range: std::ops::Range<usize>, node: Node) {
        rewrite.replace(range, self.nodes.len());
        self.nodes.push(Some(node));
    }

    /// Turns text with placeholders into nodes; newlines become line breaks.
    fn resolve(&mut self, text: &str) -> Vec<Node> {
        steps::spend(text.len());
        let mut resolved = Vec::new();
        let mut pieces = text.split(PLACEHOLDER);
        push_lines(pieces.next().unwrap_or_default(), &mut resolved);
        for piece in pieces {
            let (index, text) = rewrite::split_index(piece);
            if let Some(node) = self.nodes.get_mut(index).and_then(Option::take) {
                resolved.push(node);
            }
            push_lines(text, &mut resolved);
        }
        resolved
    }
}

fn push_lines(text: &str, nodes: &mut Vec<Node>) {
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            nodes.push(Element::new("br").into_node());
            nodes.push(Node::Text(format!("\n{line}")));
        } else if !line.is_empty() {
            nodes.push(Node::Text(line.to_owned()));
        }
    }
}
