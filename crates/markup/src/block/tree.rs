//! The tree of blocks: the result of parsing, and the input of previews and of the writer.
//!
//! Owns the data types and their traversal. Independent of the syntax of Markdown and HTML.

use crate::media::Preview;
use crate::node::{Element, Node, visit_elements};

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
        /// Whether it came from indentation: only such blocks can be continued.
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

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// One for each column.
    pub(crate) alignments: Vec<Option<Alignment>>,
    pub(crate) header: Vec<Vec<Node>>,
    /// As many cells a row as there are columns.
    pub(crate) rows: Vec<Vec<Vec<Node>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alignment {
    Left,
    Center,
    Right,
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

/// The texts directly in a block.
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
