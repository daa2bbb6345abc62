//! Parses a chunk, the lines between two blank lines.
//!
//! Owns the precedence of block constructs and the recursion into their content. Each step takes lines from
//! the front, so that a line is visited a bounded number of times per nesting level.
//! (docs/protocol/markdown.md#precedence, docs/protocol/markdown.md#blocks)

use super::nesting::{MAX_DEPTH, Nesting};
use super::tree::Block;
use super::{line, list, table};
use crate::inline::{self, Scope};

const CODE_INDENT: usize = 4;

/// Parses lines, blank ones between chunks, and appends to `blocks`.
pub(super) fn parse_lines(
    lines: &[&str],
    nesting: Nesting,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let mut blank_lines = 0;
    for chunk in lines.chunk_by(|a, b| a.trim().is_empty() == b.trim().is_empty()) {
        if chunk.first().is_some_and(|line| line.trim().is_empty()) {
            blank_lines = chunk.len();
            continue;
        }
        parse_chunk(chunk, blank_lines, nesting, blocks, scope);
    }
}

/// Parses one chunk that follows `blank_lines` blank lines.
fn parse_chunk(
    chunk: &[&str],
    blank_lines: usize,
    nesting: Nesting,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let mut rest = chunk;
    if list::continues(rest, blocks) {
        return continue_list(rest, nesting, blocks, scope);
    }
    while !rest.is_empty() {
        let indented = leading(rest, |line| line::indent_of(line) >= CODE_INDENT);
        // Indented text of a list item is not code.
        if indented > 0 && !nesting.is_tight {
            let (code, after) = rest.split_at(indented);
            add_indented_code(code, blank_lines, blocks);
            rest = after;
            continue;
        }
        if table::begins(rest) {
            let length = leading(rest, |line| line::heading(line).is_none());
            let (rows, after) = rest.split_at(length);
            blocks.extend(table::parse(rows, scope).map(Block::Table));
            rest = after;
            continue;
        }
        let length = leading(rest, |line| {
            line::heading(line).is_none() && !line::is_rule(line)
        });
        let (text, after) = rest.split_at(length);
        parse_leaf(text, blank_lines, nesting, blocks, scope);
        let Some((special, after)) = after.split_first() else {
            return;
        };
        blocks.push(match line::heading(special) {
            Some((level, text)) => Block::Heading {
                level,
                content: inline::parse(text, scope),
            },
            None => Block::Rule,
        });
        rest = after;
    }
}

fn leading(lines: &[&str], holds: impl Fn(&str) -> bool) -> usize {
    lines.iter().take_while(|line| holds(line)).count()
}

fn add_indented_code(code: &[&str], blank_lines: usize, blocks: &mut Vec<Block>) {
    let lines: Vec<&str> = code
        .iter()
        .map(|line| line::dedent(line, CODE_INDENT))
        .collect();
    let text = lines.join("\n");
    let text = format!("{}\n", text.trim_end());
    if let Some(Block::Code {
        text: present,
        is_indented: true,
        ..
    }) = blocks.last_mut()
    {
        present.extend(std::iter::repeat_n('\n', blank_lines));
        present.push_str(&text);
        return;
    }
    blocks.push(Block::Code {
        language: None,
        text,
        is_indented: true,
    });
}

/// Lines without headings, rules, tables and code: a list, a quote or a paragraph.
fn parse_leaf(
    lines: &[&str],
    blank_lines: usize,
    nesting: Nesting,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let Some(first) = lines.first() else {
        return;
    };
    let may_nest = nesting.depth < MAX_DEPTH;
    if may_nest && list::begins(first) {
        return parse_list(lines, blank_lines, nesting, blocks, scope);
    }
    let quote = if may_nest { quote_start(lines) } else { None };
    let (text, quote) = lines.split_at(quote.unwrap_or(lines.len()));
    if !text.is_empty() {
        add_paragraph(text, nesting, blocks, scope);
    }
    if !quote.is_empty() {
        let inner: Vec<&str> = quote
            .iter()
            .map(|line| line::quoted(line).unwrap_or(line))
            .collect();
        let contents = scope.quoted(|scope| {
            let mut contents = Vec::new();
            parse_lines(&inner, nesting.inner().tight(false), &mut contents, scope);
            contents
        });
        blocks.push(Block::Quote(contents));
    }
}

/// The first quote mark in a line from which on there is quoted text; marks alone are text.
fn quote_start(lines: &[&str]) -> Option<usize> {
    let start = lines.iter().position(|line| line::quoted(line).is_some())?;
    let has_text = lines
        .iter()
        .skip(start)
        .any(|line| line::quoted(line).is_none_or(|text| !text.trim().is_empty()));
    has_text.then_some(start)
}

fn add_paragraph(
    lines: &[&str],
    nesting: Nesting,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let text = lines.join("\n");
    let content = inline::parse(text.trim_start_matches(' '), scope);
    blocks.push(if nesting.is_tight {
        Block::Plain(content)
    } else {
        Block::Paragraph(content)
    });
}

/// Adds an indented chunk to the deepest last item that its indentation reaches.
fn continue_list(
    lines: &[&str],
    nesting: Nesting,
    blocks: &mut [Block],
    scope: &mut Scope<'_, '_>,
) {
    let indent = lines.first().map_or(0, |line| line::indent_of(line));
    let Some((item, depth)) = list::item_reached(blocks, indent) else {
        return;
    };
    let inner: Vec<&str> = lines
        .iter()
        .map(|line| line::dedent(line, depth * list::STEP))
        .collect();
    let nesting = Nesting {
        depth: nesting.depth + depth,
        is_tight: false,
    };
    parse_chunk(&inner, 1, nesting, item, scope);
}

/// Parses a chunk whose first line is an item.
fn parse_list(
    lines: &[&str],
    blank_lines: usize,
    nesting: Nesting,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let Some(first) = lines.first().and_then(|line| line::item(line)) else {
        return;
    };
    let is_ordered = first.number.is_some();
    let Some((list, goes_on)) = list::list_of(&first, blank_lines > 0, blocks) else {
        return;
    };
    let mut is_loose = goes_on;
    for group in list::groups(lines, is_ordered) {
        match group {
            list::Group::Item(lines) => {
                let mut item = Vec::new();
                let nesting = nesting.inner().tight(!is_loose);
                parse_chunk(&lines, 0, nesting, &mut item, scope);
                list.items.push(item);
                is_loose = false;
            }
            list::Group::Nested(lines) => {
                if let Some(item) = list.items.last_mut() {
                    parse_chunk(&lines, 0, nesting.inner().tight(true), item, scope);
                }
            }
        }
    }
}
