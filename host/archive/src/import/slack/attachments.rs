//! Attachments of integrations and shared messages, which are shown below the text of a message.

use serde_json::Value;

use super::super::chat::Chat;
use super::super::chat::text::{add_paragraph, link, quoted};
use super::super::json::{filled, flag, list, scalar, text};
use super::Export;
use super::markup::decoded;

/// Most files or fields of one attachment, or messages in it, that are read.
const MOST: usize = 200;

impl Export {
    /// Markdown of an attachment; nothing for the preview of a link that is in the text
    /// (`has_text`).
    pub(super) fn attachment(&self, chat: &Chat, attachment: &Value, has_text: bool) -> String {
        if flag(attachment, "is_msg_unfurl") || flag(attachment, "is_share") {
            return self.shared(chat, attachment);
        }
        let is_preview = filled(attachment, "from_url").is_some()
            || filled(attachment, "original_url").is_some();
        if has_text && is_preview {
            return String::new();
        }
        let convert = |mrkdwn: &str| self.markup(chat).convert(mrkdwn).content;
        let mut all = self.attached(chat, attachment);
        if let Some(url) = filled(attachment, "image_url") {
            add_paragraph(&mut all, &link("", url));
        }
        if all.is_empty() {
            all = convert(text(attachment, "fallback"));
        }
        all
    }

    /// A message that was shared, as a quote.
    fn shared(&self, chat: &Chat, attachment: &Value) -> String {
        let mut shared = self.attached_blocks(chat, attachment);
        if shared.is_empty() {
            shared = self.markup(chat).convert(text(attachment, "text")).content;
        }
        for file in list(attachment, "files").iter().take(MOST) {
            if let (Some(name), Some(url)) = (filled(file, "name"), filled(file, "permalink")) {
                add_paragraph(&mut shared, &link(name, url));
            }
        }
        if shared.trim().is_empty() {
            return String::new();
        }
        let author = filled(attachment, "author_name")
            .or_else(|| filled(attachment, "author_subname"))
            .unwrap_or("…");
        format!("{}:\n{}", decoded(author), quoted(&shared))
    }

    /// What an integration has attached: its title, its texts and its fields. Blocks replace a text that says the same.
    fn attached(&self, chat: &Chat, attachment: &Value) -> String {
        let convert = |mrkdwn: &str| self.markup(chat).convert(mrkdwn).content;
        let mut all = convert(text(attachment, "pretext"));
        if let Some(author) = filled(attachment, "author_name") {
            add_paragraph(&mut all, &decoded(author));
        }
        if let Some(title) = filled(attachment, "title") {
            let title = match filled(attachment, "title_link") {
                Some(url) => link(&decoded(title), &decoded(url)),
                None => bold(title),
            };
            add_paragraph(&mut all, &title);
        }
        let blocks = self.attached_blocks(chat, attachment);
        let body = convert(text(attachment, "text"));
        if !blocks.contains(body.trim()) {
            add_paragraph(&mut all, &body);
        }
        for field in list(attachment, "fields").iter().take(MOST) {
            let value = convert(&scalar(field, "value"));
            let field = match scalar(field, "title") {
                title if title.trim().is_empty() => value,
                title => format!("{}: {value}", bold(&title)),
            };
            add_paragraph(&mut all, &field);
        }
        add_paragraph(&mut all, &blocks);
        all
    }

    /// The blocks of an attachment, or of the messages that it shows.
    fn attached_blocks(&self, chat: &Chat, attachment: &Value) -> String {
        let said = text(attachment, "text");
        let mut all = self.blocks(chat, attachment, said).text.content;
        for shown in list(attachment, "message_blocks").iter().take(MOST) {
            let message = shown.get("message").unwrap_or(&Value::Null);
            let blocks = self.blocks(chat, message, said).text.content;
            if !blocks.is_empty() && !all.contains(&blocks) {
                add_paragraph(&mut all, &blocks);
            }
        }
        all
    }
}

/// A title in bold.
fn bold(title: &str) -> String {
    format!("**{}**", decoded(title).replace('*', ""))
}
