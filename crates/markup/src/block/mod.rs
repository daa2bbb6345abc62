//! Blocks: headings, rules, lists, quotes, tables, code and paragraphs.
//!
//! Owns the tree of blocks and the order in which constructs are tried on a chunk (the lines
//! between two blank lines). Inline text is handed to `inline`. Every nesting is bounded by
//! [`MAX_DEPTH`]; deeper input is paragraph text. (spec: markup-export-facts 1.2 to 1.4)

mod chunk;
mod line;
mod list;
mod table;

use crate::fence::{self, Fence, FenceKind, Segment};
use crate::inline::{self, Scope};
use crate::languages;
use crate::node::{Element, Node, visit_elements};
use crate::preview::Preview;

pub(crate) use table::{Alignment, Table};

/// Quotes, spoilers and lists nest at most this deep.
const MAX_DEPTH: usize = 12;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Paragraph(Vec<Node>),
    /// Text of a list item that is not wrapped in a paragraph.
    Plain(Vec<Node>),
    Heading {
        level: usize,
        content: Vec<Node>,
    },
    Rule,
    List(List),
    Code {
        language: Option<String>,
        text: String,
        /// Whether it came from indentation: only such blocks grow.
        is_indented: bool,
    },
    /// Display formulas, one for each part between blank lines.
    Math(Vec<Node>),
    Quote(Vec<Block>),
    Spoiler {
        header: Vec<Block>,
        body: Vec<Block>,
    },
    Table(Table),
    Preview(Preview),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct List {
    /// The first number of an ordered list.
    pub(crate) start: Option<String>,
    pub(crate) items: Vec<Vec<Block>>,
}

/// Where blocks are parsed.
#[derive(Clone, Copy)]
struct Place {
    /// How many quotes, spoilers and list items surround the place.
    depth: usize,
    /// Whether text stands directly in a list item.
    is_tight: bool,
}

impl Place {
    fn inner(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    fn tight(self, is_tight: bool) -> Self {
        Self { is_tight, ..self }
    }
}

/// Parses a whole (normalized) content.
pub(crate) fn parse(content: &str, scope: &mut Scope<'_, '_>) -> Vec<Block> {
    let segments = fence::divide(content.split('\n'));
    let place = Place {
        depth: 0,
        is_tight: false,
    };
    parse_segments(&segments, place, scope)
}

fn parse_segments(segments: &[Segment<'_>], place: Place, scope: &mut Scope<'_, '_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for segment in segments {
        match segment {
            Segment::Line(line) => lines.push(line),
            Segment::Fence(fence) => {
                parse_text(&std::mem::take(&mut lines), place, &mut blocks, scope);
                blocks.extend(parse_fence(fence, place, scope));
            }
        }
    }
    parse_text(&lines, place, &mut blocks, scope);
    blocks
}

/// Lines outside fences, where a list may hang on a paragraph.
fn parse_text(lines: &[&str], place: Place, blocks: &mut Vec<Block>, scope: &mut Scope<'_, '_>) {
    let mut separated = Vec::with_capacity(lines.len());
    let mut previous: Option<&str> = None;
    for line in lines {
        if previous.is_some_and(|previous| line::begins_list_after(previous, line)) {
            separated.push("");
        }
        separated.push(*line);
        previous = Some(line);
    }
    chunk::parse_lines(&separated, place, blocks, scope);
}

fn parse_fence(fence: &Fence<'_>, place: Place, scope: &mut Scope<'_, '_>) -> Option<Block> {
    match &fence.kind {
        FenceKind::Quote => {
            let inner = |scope: &mut Scope<'_, '_>| {
                parse_segments(&fence.contents, place.inner().tight(false), scope)
            };
            let blocks = scope.quoted(inner);
            (!blocks.is_empty()).then_some(Block::Quote(blocks))
        }
        FenceKind::Spoiler { header } => {
            let mut header_blocks = Vec::new();
            if !header.is_empty() {
                header_blocks.push(Block::Paragraph(inline::parse(header, scope)));
            }
            Some(Block::Spoiler {
                header: header_blocks,
                body: parse_segments(&fence.contents, place.inner().tight(false), scope),
            })
        }
        FenceKind::Math => {
            let lines: Vec<&str> = fence.lines().collect();
            let formulas: Vec<Node> = lines
                .split(|line| line.trim().is_empty())
                .filter(|part| !part.is_empty())
                .map(|part| inline::display_formula(&part.join("\n")))
                .collect();
            (!formulas.is_empty()).then_some(Block::Math(formulas))
        }
        FenceKind::Code { language } => {
            let lines: Vec<&str> = fence.lines().collect();
            let text = code_text(&lines)?;
            let language = match *language {
                "" => scope.context().default_code_block_language,
                named => named,
            };
            Some(Block::Code {
                language: (!language.is_empty()).then(|| languages::canonical(language)),
                text,
                is_indented: false,
            })
        }
    }
}

/// Code without blank lines around it, ending in a newline; nothing if there is none.
fn code_text(lines: &[&str]) -> Option<String> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let first = lines.iter().position(|line| !is_blank(line))?;
    let last = lines.iter().rposition(|line| !is_blank(line))?;
    let mut text = lines.get(first..=last)?.join("\n");
    text.truncate(text.trim_end().len());
    text.push('\n');
    Some(text)
}

/// Calls `visit` with the destination of every link, in quotes too.
pub(crate) fn visit_links(blocks: &[Block], visit: &mut impl FnMut(&str)) {
    for block in blocks {
        for content in contents_of(block) {
            visit_elements(content, &mut |element: &Element| {
                if let Some(href) = element.value("href") {
                    visit(href);
                }
            });
        }
        for inner in inner_blocks(block) {
            visit_links(inner, visit);
        }
    }
}

/// The texts that stand directly in a block.
pub(crate) fn contents_of(block: &Block) -> Vec<&[Node]> {
    match block {
        Block::Paragraph(content) | Block::Plain(content) | Block::Heading { content, .. } => {
            vec![content]
        }
        Block::Table(table) => std::iter::once(&table.header)
            .chain(&table.rows)
            .flatten()
            .map(Vec::as_slice)
            .collect(),
        _ => Vec::new(),
    }
}

/// The sequences of blocks inside a block.
pub(crate) fn inner_blocks(block: &Block) -> Vec<&[Block]> {
    match block {
        Block::List(list) => list.items.iter().map(Vec::as_slice).collect(),
        Block::Quote(blocks) => vec![blocks],
        Block::Spoiler { header, body } => vec![header, body],
        _ => Vec::new(),
    }
}
