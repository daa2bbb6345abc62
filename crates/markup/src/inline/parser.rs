//! The state shared by all passes: the text with placeholders, their nodes, and the outcome.
//!
//! Owns the sequence of passes and the replacement of placeholders by nodes. Each construct is in a module of its own.
//! A construct replaces its text only after it has resolved every placeholder in it ([`Parser::replace`]), so none can
//! reach the output and no recognised text is lost.

use super::rewrite::{PLACEHOLDER, Rewrite, split_index};
use crate::context::Context;
use crate::node::{Element, Node};
use crate::outcome::Outcome;
use crate::steps;

/// The environment of inline parsing: the context, and the outcome that collects findings.
pub(crate) struct Scope<'c, 'o> {
    pub(super) context: &'c Context<'c>,
    pub(super) outcome: &'o mut Outcome,
    /// Whether the text is inside a quote, where mentions do not notify.
    pub(super) is_quoted: bool,
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

/// A pass: returns the text with placeholders, or `None` if it recognised nothing. The number identifies the next pass,
/// for texts inside recognised constructs.
pub(super) type Pass = for<'t> fn(&mut Parser<'_, '_, '_>, &'t str, usize) -> Option<String>;

/// The parser of one text.
pub(super) struct Parser<'p, 'c, 'o> {
    pub(super) scope: &'p mut Scope<'c, 'o>,
    /// The nodes of placeholders; taken when the surrounding node is created.
    nodes: Vec<Option<Node>>,
    passes: &'static [Pass],
}

impl<'p, 'c, 'o> Parser<'p, 'c, 'o> {
    pub(super) fn new(scope: &'p mut Scope<'c, 'o>, passes: &'static [Pass]) -> Self {
        Self {
            scope,
            nodes: Vec::new(),
            passes,
        }
    }

    /// Applies the passes from number `from` on and resolves the placeholders.
    pub(super) fn parse_from(&mut self, from: usize, text: &str) -> Vec<Node> {
        let mut current = std::borrow::Cow::Borrowed(text);
        for (number, pass) in self.passes.iter().enumerate().skip(from) {
            steps::spend(current.len());
            if let Some(rewritten) = pass(self, &current, number + 1) {
                current = rewritten.into();
            }
        }
        self.resolve(&current)
    }

    /// Stores a node and puts its placeholder into the text. Does nothing, and returns false, if the text of the
    /// construct has a placeholder that the node does not contain resolved: names and addresses hold no markup.
    pub(super) fn replace(
        &mut self,
        rewrite: &mut Rewrite<'_>,
        range: std::ops::Range<usize>,
        node: Node,
    ) -> bool {
        let mut placeholders = rewrite.part(range.clone()).split(PLACEHOLDER).skip(1);
        let is_waiting = |piece| matches!(self.nodes.get(split_index(piece).0), Some(Some(_)));
        if placeholders.any(is_waiting) {
            return false;
        }
        rewrite.replace(range, self.nodes.len());
        self.nodes.push(Some(node));
        true
    }

    /// Turns text with placeholders into nodes; newlines become line breaks.
    pub(super) fn resolve(&mut self, text: &str) -> Vec<Node> {
        steps::spend(text.len());
        let mut resolved = Vec::new();
        let mut pieces = text.split(PLACEHOLDER);
        push_lines(pieces.next().unwrap_or_default(), &mut resolved);
        for piece in pieces {
            let (index, text) = split_index(piece);
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
