//! Lists: items, nesting by two spaces, and loose items.
//!
//! Owns the division of a chunk into items and the continuation of a list in a later, indented chunk.
//! Looseness is a property of an item: its text is a paragraph if a blank line separates it from a
//! neighbour. Must not parse the content of items. (docs/protocol/markdown.md#blocks)

use super::line;
use super::tree::{Block, List};

/// Spaces by which a nested item is indented.
pub(super) const STEP: usize = 2;

/// Whether a line is an item of a list at this level.
pub(super) fn begins(line: &str) -> bool {
    line::item(line).is_some_and(|item| item.indent < STEP)
}

/// Whether a chunk continues the list at the end of `blocks`.
pub(super) fn continues(lines: &[&str], blocks: &[Block]) -> bool {
    let is_indented = lines
        .first()
        .is_some_and(|line| line::indent_of(line) >= STEP);
    is_indented && matches!(blocks.last(), Some(Block::List(_)))
}

/// The deepest last item of the list at the end of `blocks` that `indent` spaces reach, made loose, and its
/// nesting level.
pub(super) fn item_reached(
    blocks: &mut [Block],
    indent: usize,
) -> Option<(&mut Vec<Block>, usize)> {
    let reach = indent / STEP;
    let Some(Block::List(outer)) = blocks.last_mut() else {
        return None;
    };
    let (mut list, mut depth) = (outer, 1);
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
            return None;
        };
        list = inner;
        depth += 1;
    }
    let item = list.items.last_mut()?;
    make_loose(item);
    Some((item, depth))
}

/// The list for an item that begins a chunk, and whether it existed before: a list continues after blank
/// lines, and its last item becomes loose then.
pub(super) fn list_of<'b>(
    item: &line::Item<'_>,
    is_apart: bool,
    blocks: &'b mut Vec<Block>,
) -> Option<(&'b mut List, bool)> {
    let is_ordered = item.number.is_some();
    let goes_on = is_apart
        && matches!(blocks.last(), Some(Block::List(list)) if list.start.is_some() == is_ordered);
    if !goes_on {
        blocks.push(Block::List(List {
            start: item.number.map(str::to_owned),
            items: Vec::new(),
        }));
    }
    let Some(Block::List(list)) = blocks.last_mut() else {
        return None;
    };
    if goes_on && let Some(item) = list.items.last_mut() {
        make_loose(item);
    }
    Some((list, goes_on))
}

/// Consecutive lines of a list chunk that belong together.
pub(super) enum Group<'t> {
    /// An item without its marker.
    Item(Vec<&'t str>),
    /// Lines nested in the previous item, without one step of indentation.
    Nested(Vec<&'t str>),
}

/// Groups the lines of a chunk that is a list.
pub(super) fn groups<'t>(lines: &[&'t str], is_ordered: bool) -> Vec<Group<'t>> {
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
