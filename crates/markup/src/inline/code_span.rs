//! Code spans: a run of backticks, anything, and a run of the same length.
//!
//! Owns their search in one pass, also for tables. A run after a backslash is no delimiter.
//! (docs/protocol/markdown.md#output, docs/protocol/markdown.md#inline)

use std::collections::HashMap;
use std::ops::Range;

use super::parser::Parser;
use super::rewrite::{Rewrite, slice};
use crate::node::{Element, Node};
use crate::steps;

struct Span {
    range: Range<usize>,
    ticks: usize,
}

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    for Span { range, ticks } in spans(text) {
        let contents = slice(text, range.start + ticks..range.end - ticks);
        let node = Element::new("code").child(Node::Verbatim(contents.to_owned()));
        parser.replace(&mut rewrite, range, node.into_node());
    }
    rewrite.finish()
}

/// The ranges of code spans in a text.
pub(crate) fn code_span_ranges(text: &str) -> Vec<Range<usize>> {
    spans(text).into_iter().map(|span| span.range).collect()
}

fn spans(text: &str) -> Vec<Span> {
    let runs = backtick_runs(text);
    let mut later: HashMap<usize, usize> = HashMap::new();
    let mut closers = vec![None; runs.len()];
    for (number, (run, closer)) in runs.iter().zip(&mut closers).enumerate().rev() {
        *closer = later.insert(run.len(), number);
    }
    let mut spans: Vec<Span> = Vec::new();
    for (run, closer) in runs.iter().zip(closers) {
        let is_taken = spans.last().is_some_and(|span| run.start < span.range.end);
        let is_escaped = slice(text, 0..run.start).ends_with('\\');
        let Some(closer) = closer.and_then(|number| runs.get(number)) else {
            continue;
        };
        if !is_taken && !is_escaped {
            spans.push(Span {
                range: run.start..closer.end,
                ticks: run.len(),
            });
        }
    }
    spans
}

fn backtick_runs(text: &str) -> Vec<Range<usize>> {
    steps::spend(text.len());
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let ranges = code_span_ranges(text).into_iter();
        ranges.map(|range| slice(text, range)).collect()
    }

    #[test]
    fn spans_close_with_a_run_of_the_same_length() {
        assert_eq!(found("a `b` c"), ["`b`"]);
        assert_eq!(found("``a`b`` `c`"), ["``a`b``", "`c`"]);
        assert_eq!(found("``a` `b"), ["` `"]);
        assert!(found("``a`").is_empty());
        assert!(found("\\`a`").is_empty());
    }
}
