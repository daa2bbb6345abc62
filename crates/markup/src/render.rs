//! Rendering of a content to HTML: the sequence of steps, and the output of blocks.
//!
//! Owns [`render`] and the layout of blocks (newlines between them, fixed wrappers). Does not escape: all output goes
//! through the writer. (docs/protocol/markdown.md)

use std::collections::BTreeSet;

use crate::block::{self, Alignment, Block, List, Table};
use crate::context::Context;
use crate::destination;
use crate::html::{Attribute, HtmlWriter};
use crate::inline::{self, Scope};
use crate::limits::MAX_RENDERED_LENGTH;
use crate::node::{Node, write_nodes};
use crate::outcome::Outcome;
use crate::{preprocess, preview};

/// A rendered message and its properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The HTML fragment.
    pub html: String,
    /// Users mentioned by name or id, not silently; without the members of groups.
    pub mentioned_user_ids: BTreeSet<i64>,
    /// User groups mentioned, not silently.
    pub mentioned_group_ids: BTreeSet<i64>,
    /// Whether it has `@**all**` or one of its synonyms.
    pub channel_wildcard: bool,
    /// Whether it has `@**topic**`.
    pub topic_wildcard: bool,
    /// Whether there is any link.
    pub has_link: bool,
    /// Whether there is a preview of an image, or an image, outside quotes.
    pub has_image: bool,
    /// Path ids of the uploads linked to, whether they exist or not.
    pub attachments: BTreeSet<String>,
    /// Whether the content begins with `/me `.
    pub is_me_message: bool,
}

impl Rendered {
    /// Whether the HTML exceeds the limit.
    pub fn is_too_long(&self) -> bool {
        self.html.len() > MAX_RENDERED_LENGTH && self.html.chars().count() > MAX_RENDERED_LENGTH
    }

    /// Appends another text on its own lines. Returns false and changes nothing if the result would be too long.
    pub fn append(&mut self, next: Self) -> bool {
        if self.html.is_empty() {
            *self = next;
            return !self.is_too_long();
        }
        let end = self.html.len();
        self.html.push('\n');
        self.html.push_str(&next.html);
        if self.is_too_long() {
            self.html.truncate(end);
            return false;
        }
        self.mentioned_user_ids.extend(next.mentioned_user_ids);
        self.mentioned_group_ids.extend(next.mentioned_group_ids);
        self.attachments.extend(next.attachments);
        self.channel_wildcard |= next.channel_wildcard;
        self.topic_wildcard |= next.topic_wildcard;
        self.has_link |= next.has_link;
        self.has_image |= next.has_image;
        true
    }
}

/// Renders a message. The caller has trimmed and truncated the content.
pub fn render(content: &str, context: &Context<'_>) -> Rendered {
    let normalized = preprocess::normalize(content);
    let mut outcome = Outcome::default();
    let blocks = block::parse(&normalized, &mut Scope::new(context, &mut outcome));
    block::visit_links(&blocks, &mut |href| {
        if let Some(path_id) = destination::upload_of_href(href) {
            outcome.attachments.insert(path_id);
        }
    });
    let blocks = preview::insert(blocks, context, &mut outcome);
    let mut writer = HtmlWriter::with_capacity(content.len() * 3 / 2 + 16);
    write_blocks(&blocks, &mut writer);
    finish(content, writer, outcome)
}

/// Renders the text of one paragraph without the paragraph element: profile values, statuses.
pub fn render_inline(text: &str, context: &Context<'_>) -> Rendered {
    let normalized = preprocess::normalize(text);
    let mut outcome = Outcome::default();
    let nodes = inline::parse(normalized.trim(), &mut Scope::new(context, &mut outcome));
    let mut writer = HtmlWriter::with_capacity(text.len() * 3 / 2);
    write_nodes(&nodes, &mut writer);
    finish(text, writer, outcome)
}

fn finish(content: &str, writer: HtmlWriter, outcome: Outcome) -> Rendered {
    let html = writer.finish();
    Rendered {
        // Text is escaped, so this can only be the beginning of an element.
        has_link: html.contains("<a "),
        html,
        mentioned_user_ids: outcome.mentioned_user_ids,
        mentioned_group_ids: outcome.mentioned_group_ids,
        channel_wildcard: outcome.channel_wildcard,
        topic_wildcard: outcome.topic_wildcard,
        has_image: outcome.has_image,
        attachments: outcome.attachments,
        is_me_message: content.starts_with("/me "),
    }
}

/// Writes blocks with a newline between them, except after a preview.
fn write_blocks(blocks: &[Block], writer: &mut HtmlWriter) {
    for (number, block) in blocks.iter().enumerate() {
        write_block(block, writer);
        if number + 1 < blocks.len() && takes_newline(block) {
            writer.newline();
        }
    }
}

fn takes_newline(block: &Block) -> bool {
    !matches!(block, Block::Plain(_) | Block::Preview(_))
}

/// Writes blocks inside an element whose tags are on lines of their own.
fn write_enclosed(blocks: &[Block], writer: &mut HtmlWriter) {
    writer.newline();
    write_blocks(blocks, writer);
    if blocks.last().is_some_and(takes_newline) {
        writer.newline();
    }
}

fn write_block(block: &Block, writer: &mut HtmlWriter) {
    match block {
        Block::Paragraph(content) => write_element("p", content, writer),
        Block::Plain(content) => write_nodes(content, writer),
        Block::Heading { level, content } => write_element(heading_tag(*level), content, writer),
        Block::Rule => writer.open("hr"),
        Block::List(list) => write_list(list, writer),
        Block::Code { language, text, .. } => write_code(language.as_deref(), text, writer),
        Block::Math(formulas) => write_math(formulas, writer),
        Block::Quote(blocks) => {
            writer.open("blockquote");
            write_enclosed(blocks, writer);
            writer.close("blockquote");
        }
        Block::Spoiler { header, body } => write_spoiler(header, body, writer),
        Block::Table(table) => write_table(table, writer),
        Block::Preview(preview) => preview.element.write(writer),
    }
}

fn write_element(tag: &'static str, content: &[Node], writer: &mut HtmlWriter) {
    writer.open(tag);
    write_nodes(content, writer);
    writer.close(tag);
}

fn heading_tag(level: usize) -> &'static str {
    match level {
        1 => "h1",
        2 => "h2",
        3 => "h3",
        4 => "h4",
        5 => "h5",
        _ => "h6",
    }
}

fn write_list(list: &List, writer: &mut HtmlWriter) {
    let tag = match &list.start {
        None => "ul",
        Some(_) => "ol",
    };
    match list.start.as_deref().map(without_leading_zeros) {
        Some(number) if number != "1" => {
            writer.open_with(tag, &[Attribute::new("start", number)]);
        }
        _ => writer.open(tag),
    }
    writer.newline();
    for item in &list.items {
        writer.open("li");
        match item.first() {
            None => {}
            Some(Block::Plain(_)) => {
                write_blocks(item, writer);
                if item.last().is_some_and(takes_newline) {
                    writer.newline();
                }
            }
            Some(_) => write_enclosed(item, writer),
        }
        writer.close("li");
        writer.newline();
    }
    writer.close(tag);
}

fn without_leading_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    }
}

fn write_code(language: Option<&str>, text: &str, writer: &mut HtmlWriter) {
    let mut attributes = vec![Attribute::new("class", "codehilite")];
    if let Some(language) = language {
        attributes.push(Attribute::new("data-code-language", language));
    }
    writer.open_with("div", &attributes);
    writer.open("pre");
    writer.open("span");
    writer.close("span");
    writer.open("code");
    writer.code(text);
    writer.close("code");
    writer.close("pre");
    writer.close("div");
}

fn write_math(formulas: &[Node], writer: &mut HtmlWriter) {
    writer.open("p");
    for (number, formula) in formulas.iter().enumerate() {
        if number > 0 {
            writer.newline();
            writer.newline();
        }
        write_nodes(std::slice::from_ref(formula), writer);
    }
    writer.close("p");
}

fn write_spoiler(header: &[Block], body: &[Block], writer: &mut HtmlWriter) {
    let class = |name: &str| Attribute::new("class", name);
    writer.open_with("div", &[class("spoiler-block")]);
    writer.open_with("div", &[class("spoiler-header")]);
    write_enclosed(header, writer);
    writer.close("div");
    let hidden = Attribute::new("aria-hidden", "true");
    writer.open_with("div", &[class("spoiler-content"), hidden]);
    write_enclosed(body, writer);
    writer.close("div");
    writer.close("div");
}

fn write_table(table: &Table, writer: &mut HtmlWriter) {
    let row = |tag: &'static str, cells: &[Vec<Node>], writer: &mut HtmlWriter| {
        writer.open("tr");
        writer.newline();
        for (cell, alignment) in cells.iter().zip(&table.alignments) {
            writer.open_with(tag, &alignment_style(*alignment));
            write_nodes(cell, writer);
            writer.close(tag);
            writer.newline();
        }
        writer.close("tr");
        writer.newline();
    };
    writer.open("table");
    writer.newline();
    writer.open("thead");
    writer.newline();
    row("th", &table.header, writer);
    writer.close("thead");
    writer.newline();
    writer.open("tbody");
    writer.newline();
    for cells in &table.rows {
        row("td", cells, writer);
    }
    writer.close("tbody");
    writer.newline();
    writer.close("table");
}

fn alignment_style(alignment: Option<Alignment>) -> Vec<Attribute> {
    let style = match alignment {
        None => return Vec::new(),
        Some(Alignment::Left) => "text-align: left;",
        Some(Alignment::Center) => "text-align: center;",
        Some(Alignment::Right) => "text-align: right;",
    };
    vec![Attribute::new("style", style)]
}
