//! Blocks: headings, rules, lists, quotes, tables, code and paragraphs.
//!
//! Owns the conversion of fences and of the lines between them; `chunk` parses constructs of lines, `inline`
//! parses inline text. Nesting is bounded; deeper input is paragraph text.
//! (docs/protocol/markdown.md#precedence, docs/protocol/markdown.md#blocks,
//! docs/protocol/markdown.md#fences)

mod chunk;
mod line;
mod list;
mod nesting;
mod table;
mod tree;

use crate::fence::{self, Fence, FenceKind, Segment};
use crate::inline::{self, Scope};
use crate::languages;
use crate::node::Node;
use nesting::Nesting;

pub(crate) use tree::{Alignment, Block, List, Table, contents_of, inner_blocks, visit_links};

/// Parses a whole (normalized) content.
pub(crate) fn parse(content: &str, scope: &mut Scope<'_, '_>) -> Vec<Block> {
    let segments = fence::divide(content.split('\n'));
    parse_segments(&segments, Nesting::TOP, scope)
}

fn parse_segments(
    segments: &[Segment<'_>],
    nesting: Nesting,
    scope: &mut Scope<'_, '_>,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for segment in segments {
        match segment {
            Segment::Line(line) => lines.push(line),
            Segment::Fence(fence) => {
                parse_text(&std::mem::take(&mut lines), nesting, &mut blocks, scope);
                blocks.extend(parse_fence(fence, nesting, scope));
            }
        }
    }
    parse_text(&lines, nesting, &mut blocks, scope);
    blocks
}

/// Parses lines outside fences, where a list may directly follow a paragraph.
fn parse_text(
    lines: &[&str],
    nesting: Nesting,
    blocks: &mut Vec<Block>,
    scope: &mut Scope<'_, '_>,
) {
    let mut separated = Vec::with_capacity(lines.len());
    let mut previous: Option<&str> = None;
    for line in lines {
        if previous.is_some_and(|previous| line::begins_list_after(previous, line)) {
            separated.push("");
        }
        separated.push(*line);
        previous = Some(line);
    }
    chunk::parse_lines(&separated, nesting, blocks, scope);
}

fn parse_fence(fence: &Fence<'_>, nesting: Nesting, scope: &mut Scope<'_, '_>) -> Option<Block> {
    match &fence.kind {
        FenceKind::Quote => {
            let inner = |scope: &mut Scope<'_, '_>| {
                parse_segments(&fence.contents, nesting.inner().tight(false), scope)
            };
            let blocks = scope.quoted(inner);
            (!blocks.is_empty()).then_some(Block::Quote(blocks))
        }
        FenceKind::Spoiler { header } => {
            let inner = nesting.inner().tight(false);
            let mut blocks = Vec::new();
            if !header.is_empty() {
                parse_text(&[header], inner, &mut blocks, scope);
            }
            Some(Block::Spoiler {
                header: blocks,
                body: parse_segments(&fence.contents, inner, scope),
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

/// Code without surrounding blank lines and without white space at the ends of lines, ending in a newline; `None` if
/// there is none.
fn code_text(lines: &[&str]) -> Option<String> {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let text = lines.join("\n");
    let text = text.trim_matches('\n');
    (!text.is_empty()).then(|| format!("{text}\n"))
}
