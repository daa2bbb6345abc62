//! Lists: items, nesting by two spaces, and loose items.
//!
//! Owns how lines of a chunk become items and how a later, indented chunk goes on with the last
//! item. Looseness is a property of an item: its text is a paragraph once a blank line parts it
//! from a neighbour. (spec: markup-export-facts 1.3)

use super::{Block, List, Place, chunk, line};
use crate::inline::Scope;

/// Spaces by which a nested item is indented.
const STEP: usize = 2;

/// Whether a line is an item of a list at this level.
pub(super) fn begins(line: &str) -> bool {
    line::item(line).is_some_and(|item| item.indent < STEP)
}

/// Whether a chunk goes on with the list that ends `blocks`.
pub(super) fn continues(lines: &[&str], blocks: &[Block]) -> bool {
    let is_indented = lines
        .first()
        .is_some_and(|line| line::indent_of(line) >= STEP);
    is_indented && matches!(blocks.last(), Some(Block::List(_)))
}

/// Adds an indented chunk to the deepest last item that its indentation reaches.
pub(super) fn continue_last(
    lines: &[&str],
    place: Place,
    blocks: &mut [Block],
    scope: &mut Scope<'_, '_>,
) {
    let reach = lines.first().map_or(0, |line| line::indent_of(line)) / STEP;
    let Some(Block::List(list)) = blocks.last_mut() else {
        return;
    };
    let mut depth = 1;
    let mut list = list;
    loop {
        let goes_deeper = depth < reach
            && list
                .items
                .last()
                .is_some_and(|item| matches!(item.last(), Some(Block::List(_))));
        if !goes_deeper {
            break;
        }
        let Some(Block::List(inner)) = list.items.last_mut().and_then(|item| item.last_mut())
        else {
            return;
        };
        list = inner;
        depth += 1;
    }
    let Some(item) = list.items.last_mut() else {
        return;
    };
    make_loose(item);
    let inner: Vec<&str> = lines
        .iter()
        .map(|line| line::dedent(line, depth * STEP))
        .collect();
    let place = Place {
        depth: place.depth + depth,
        is_tight: false,
    };
    chunk::parse_chunk(&inner, 1, place, item, scope);
}

/// Parses a chunk whose first line is an item.
pub(super) fn parse(
    lines: &[&str],
    blank_lines: usize,
    place: Place,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let Some(first) = lines.first().and_then(|line| line::item(line)) else {
        return;
    };
    let is_ordered = first.number.is_some();
    let goes_on = blank_lines > 0
        && matches!(blocks.last(), Some(Block::List(list)) if list.start.is_some() == is_ordered);
    if !goes_on {
        blocks.push(Block::List(List {
            start: first.number.map(str::to_owned),
            items: Vec::new(),
        }));
    }
    let Some(Block::List(list)) = blocks.last_mut() else {
        return;
    };
    if goes_on && let Some(item) = list.items.last_mut() {
        make_loose(item);
    }
    let mut is_loose = goes_on;
    for group in groups(lines, is_ordered) {
        match group {
            Group::Item(lines) => {
                let mut item = Vec::new();
                let place = place.inner().tight(!is_loose);
                chunk::parse_chunk(&lines, 0, place, &mut item, scope);
                list.items.push(item);
                is_loose = false;
            }
            Group::Nested(lines) => {
                if let Some(item) = list.items.last_mut() {
                    chunk::parse_chunk(&lines, 0, place.inner().tight(true), item, scope);
                }
            }
        }
    }
}

/// Consecutive lines of a list chunk that belong together.
enum Group<'t> {
    /// An item, its marker taken off.
    Item(Vec<&'t str>),
    /// What is nested in the item before, one step of indentation taken off.
    Nested(Vec<&'t str>),
}

fn groups<'t>(lines: &[&'t str], is_ordered: bool) -> Vec<Group<'t>> {
    let mut groups: Vec<Group<'t>> = Vec::new();
    for line in lines {
        let item = line::item(line);
        let indent = item.as_ref().map(|item| item.indent);
        if let Some(item) = item
            && item.indent < STEP
            && item.number.is_some() == is_ordered
        {
            groups.push(Group::Item(vec![item.text]));
            continue;
        }
        let begins_nested = indent.is_some_and(|indent| (STEP..2 * STEP).contains(&indent));
        if begins_nested && !matches!(groups.last(), Some(Group::Nested(_))) {
            groups.push(Group::Nested(Vec::new()));
        }
        match groups.last_mut() {
            Some(Group::Item(lines)) => lines.push(line),
            Some(Group::Nested(lines)) => lines.push(line::dedent(line, STEP)),
            None => {}
        }
    }
    groups
}

/// Turns the plain text of an item into paragraphs.
fn make_loose(item: &mut [Block]) {
    for block in item {
        if let Block::Plain(content) = block {
            *block = Block::Paragraph(std::mem::take(content));
        }
    }
}
