//! Blocks of a Slack message: Slack's clients display them, and use the text next to them for notifications.

use serde_json::Value;

use super::super::chat::Chat;
use super::super::chat::text::{add_paragraph, link};
use super::super::json::{filled, list, text};
use super::Export;
use super::markup::{Text, decoded};
use super::rich_text::RichText;

/// Most blocks of one message, and parts of a block, that are read; Slack takes 50 and 25.
const MOST: usize = 500;

/// Blocks without a text of their own: files are listed separately, and controls do nothing here.
const SILENT: &[&str] = &["divider", "file", "input", "context_actions"];

/// The text of blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) text: Text,
    /// Whether each of them is known here.
    pub(super) is_complete: bool,
}

impl Export {
    /// The text of the blocks of a message or attachment. `said` is the mrkdwn next to them.
    pub(super) fn blocks(&self, chat: &Chat, holder: &Value, said: &str) -> Blocks {
        let mut all = Blocks {
            is_complete: true,
            ..Blocks::default()
        };
        for block in list(holder, "blocks").iter().take(MOST) {
            let text = self.block(chat, block, said);
            all.is_complete &=
                !text.content.trim().is_empty() || SILENT.contains(&field_type(block));
            all.text.add_paragraph(text);
        }
        all
    }

    fn block(&self, chat: &Chat, block: &Value, said: &str) -> Text {
        let convert = |part: &Value| self.block_text(chat, part);
        match field_type(block) {
            "rich_text" => {
                let markup = self.markup(chat);
                RichText { markup, said }.block(block)
            }
            "header" => {
                let mut text = convert(block.get("text").unwrap_or(&Value::Null));
                let title = text.content.trim().replace('*', "");
                if !title.is_empty() {
                    text.content = format!("**{title}**");
                }
                text
            }
            "markdown" => literal(text(block, "text").to_owned()),
            "image" => literal(image(block)),
            "video" => {
                let title = block.get("title").map(&convert).unwrap_or_default();
                let url = filled(block, "title_url").or_else(|| filled(block, "video_url"));
                let mut shown = literal(link(&title.plain, url.unwrap_or_default()));
                let description = block.get("description").map(&convert).unwrap_or_default();
                shown.add_paragraph(description);
                shown
            }
            "table" => self.table(chat, block, said),
            "actions" => {
                let mut all = Text::default();
                for button in list(block, "elements").iter().take(MOST) {
                    all.add_paragraph(button_link(button));
                }
                all
            }
            _ => self.section(chat, block),
        }
    }

    /// A section, a context, and whatever looks like one.
    fn section(&self, chat: &Chat, block: &Value) -> Text {
        let mut all = Text::default();
        let parts = block.get("text").into_iter();
        let parts = parts.chain(list(block, "fields"));
        let parts = parts.chain(list(block, "elements"));
        for part in parts.chain(block.get("accessory")).take(MOST) {
            let text = match field_type(part) {
                "image" => literal(image(part)),
                "button" => button_link(part),
                _ => self.block_text(chat, part),
            };
            if !all.content.is_empty() && !text.content.is_empty() {
                all.content.push('\n');
                all.plain.push(' ');
            }
            all.append(text);
        }
        all
    }

    /// A text object: mrkdwn, or a text without markup.
    fn block_text(&self, chat: &Chat, part: &Value) -> Text {
        let content = part.as_str().unwrap_or_else(|| text(part, "text"));
        match field_type(part) {
            "plain_text" | "raw_text" => literal(decoded(content)),
            _ => self.markup(chat).convert(content),
        }
    }

    fn table(&self, chat: &Chat, block: &Value, said: &str) -> Text {
        let mut all = Text::default();
        for (place, row) in list(block, "rows").iter().take(MOST).enumerate() {
            let cells = row.as_array().map(Vec::as_slice).unwrap_or_default();
            let cells = cells.iter().take(MOST).map(|cell| match field_type(cell) {
                "rich_text" => self.block(chat, cell, said),
                _ => self.block_text(chat, cell),
            });
            let (mut line, mut count) = (String::from("|"), 0);
            for cell in cells {
                count += 1;
                let content = cell.content.replace('\n', " ").replace('|', "/");
                line.push_str(&format!(" {content} |"));
                all.plain.push_str(&format!("{} ", cell.plain));
                all.mentions.extend(cell.mentions);
                all.mentions_all |= cell.mentions_all;
            }
            all.content.push_str(&line);
            all.content.push('\n');
            if place == 0 {
                all.content
                    .push_str(&format!("|{}\n", "---|".repeat(count)));
            }
        }
        all
    }
}

fn field_type(value: &Value) -> &str {
    text(value, "type")
}

fn literal(content: String) -> Text {
    Text {
        plain: content.clone(),
        content,
        ..Text::default()
    }
}

/// An image as a link to it.
fn image(block: &Value) -> String {
    let file = block.get("slack_file").unwrap_or(&Value::Null);
    let url = filled(block, "image_url").or_else(|| filled(file, "url"));
    let title = block.get("title").and_then(|title| filled(title, "text"));
    let label = decoded(title.unwrap_or_else(|| text(block, "alt_text")));
    match url {
        Some(url) => link(&label, &decoded(url)),
        None => label,
    }
}

/// A button that leads to an address; others do nothing here.
fn button_link(button: &Value) -> Text {
    let label = button.get("text").map(|label| text(label, "text"));
    match filled(button, "url") {
        Some(url) => literal(link(&decoded(label.unwrap_or_default()), &decoded(url))),
        None => Text::default(),
    }
}

impl Text {
    /// Appends a text behind this one.
    pub(super) fn append(&mut self, other: Self) {
        self.content.push_str(&other.content);
        self.plain.push_str(&other.plain);
        self.mentions.extend(other.mentions);
        self.mentions_all |= other.mentions_all;
    }

    /// Appends a text as a paragraph.
    pub(super) fn add_paragraph(&mut self, mut other: Self) {
        let content = std::mem::take(&mut other.content);
        add_paragraph(&mut self.content, &content);
        if !self.plain.is_empty() {
            self.plain.push(' ');
        }
        self.append(other);
    }
}
