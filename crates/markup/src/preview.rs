//! Previews of images and videos, created from the links of a parsed message.
//!
//! Owns their limit and their position; `media` owns their markup.
//! (docs/protocol/markdown.md#media)

use std::collections::HashSet;

use crate::block::{self, Block};
use crate::context::Context;
use crate::media::{Link, MediaKind, Preview, preview_of};
use crate::node::{Element, Node, text_of, visit_elements};
use crate::outcome::Outcome;

/// A message with more distinct previews gets none.
const MAX_PREVIEWS: usize = 24;
/// Inserts previews after the blocks with their links.
pub(crate) fn insert(
    blocks: Vec<Block>,
    context: &Context<'_>,
    outcome: &mut Outcome,
) -> Vec<Block> {
    if !context.inline_image_preview {
        return blocks;
    }
    let mut distinct = HashSet::new();
    count(&blocks, context, &mut distinct);
    if distinct.is_empty() || distinct.len() > MAX_PREVIEWS {
        return blocks;
    }
    let mut inserter = Inserter {
        context,
        outcome,
        seen: HashSet::new(),
    };
    inserter.insert(blocks)
}

/// Collects the distinct URLs with a preview outside quotes.
fn count(blocks: &[Block], context: &Context<'_>, distinct: &mut HashSet<String>) {
    for block in blocks {
        for link in links_of(block) {
            if preview_of(&link, context).is_some() {
                distinct.insert(link.href.to_owned());
            }
        }
        if !matches!(block, Block::Quote(_)) {
            for inner in block::inner_blocks(block) {
                count(inner, context, distinct);
            }
        }
    }
}

struct Inserter<'i> {
    context: &'i Context<'i>,
    outcome: &'i mut Outcome,
    seen: HashSet<String>,
}

impl Inserter<'_> {
    fn insert(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut result = Vec::with_capacity(blocks.len());
        for block in blocks {
            let previews = self.previews(&block);
            let is_replaced = previews
                .iter()
                .any(|preview| preview.kind != MediaKind::YouTube)
                && is_bare_link(&block);
            match block {
                // Keeps the item without a paragraph.
                Block::Plain(_) if is_replaced => result.push(Block::Plain(Vec::new())),
                _ if is_replaced => {}
                Block::List(mut list) => {
                    for item in &mut list.items {
                        *item = self.insert_in_item(std::mem::take(item));
                    }
                    result.push(Block::List(list));
                }
                Block::Spoiler { header, body } => {
                    let header = self.insert(header);
                    let body = self.insert(body);
                    result.push(Block::Spoiler { header, body });
                }
                block => result.push(block),
            }
            result.extend(previews.into_iter().map(Block::Preview));
        }
        result
    }

    /// In a list item, previews come at the end.
    fn insert_in_item(&mut self, item: Vec<Block>) -> Vec<Block> {
        let (previews, mut blocks): (Vec<Block>, Vec<Block>) = self
            .insert(item)
            .into_iter()
            .partition(|block| matches!(block, Block::Preview(_)));
        blocks.extend(previews);
        blocks
    }

    fn previews(&mut self, block: &Block) -> Vec<Preview> {
        let mut previews = Vec::new();
        for link in links_of(block) {
            let Some(preview) = preview_of(&link, self.context) else {
                continue;
            };
            if self.seen.insert(link.href.to_owned()) {
                self.outcome.has_image |= preview.kind != MediaKind::Video;
                previews.push(preview);
            }
        }
        previews
    }
}

/// The links in the text of a block, not in blocks inside it.
fn links_of(block: &Block) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    for content in block::contents_of(block) {
        visit_elements(content, &mut |element: &Element| {
            if let Some(href) = element.value("href") {
                let text = text_of(&element.children);
                links.push(Link { href, text });
            }
        });
    }
    links
}

/// Whether a block is a paragraph, or the text of a list item, that contains only a URL.
fn is_bare_link(block: &Block) -> bool {
    let (Block::Paragraph(content) | Block::Plain(content)) = block else {
        return false;
    };
    let [Node::Element(element)] = content.as_slice() else {
        return false;
    };
    let text = text_of(&element.children);
    element.value("href").is_some_and(|href| {
        href == text
            || text
                .strip_suffix(href)
                .is_some_and(|base| base.ends_with('/'))
    })
}
