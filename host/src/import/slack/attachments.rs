//! The parts below the text of a message of Slack: attachments of integrations, shared messages,
//! blocks.

use serde_json::Value;

use super::super::chat::Chat;
use super::super::chat::text::{add_paragraph, link, quoted};
use super::super::json::{filled, flag, list, text};
use super::Export;
use super::markup::decoded;

/// Most blocks, attachments or fields of one message that are read.
const MOST: usize = 200;
/// How deep blocks may be nested.
const DEEPEST: usize = 12;

impl Export {
    /// Markdown of an attachment; nothing for the preview of a link that is in the text
    /// (`has_text`).
    pub(super) fn attachment(&self, chat: &Chat, attachment: &Value, has_text: bool) -> String {
        let convert = |mrkdwn: &str| self.markup(chat).convert(mrkdwn).content;
        if flag(attachment, "is_msg_unfurl") || flag(attachment, "is_share") {
            let mut shared = convert(text(attachment, "text"));
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
            return format!("{}:\n{}", decoded(author), quoted(&shared));
        }
        let is_preview = filled(attachment, "from_url").is_some()
            || filled(attachment, "original_url").is_some();
        if has_text && is_preview {
            return String::new();
        }
        let mut all = convert(text(attachment, "pretext"));
        if let Some(author) = filled(attachment, "author_name") {
            add_paragraph(&mut all, &decoded(author));
        }
        if let Some(title) = filled(attachment, "title") {
            let title = match filled(attachment, "title_link") {
                Some(url) => link(&decoded(title), &decoded(url)),
                None => format!("**{}**", decoded(title).replace('*', "")),
            };
            add_paragraph(&mut all, &title);
        }
        add_paragraph(&mut all, &convert(text(attachment, "text")));
        for field in list(attachment, "fields").iter().take(MOST) {
            let value = convert(text(field, "value"));
            let field = match filled(field, "title") {
                Some(title) => format!("**{}**: {value}", decoded(title).replace('*', "")),
                None => value,
            };
            add_paragraph(&mut all, &field);
        }
        if all.is_empty() {
            add_paragraph(&mut all, &convert(&self.blocks(attachment)));
        }
        if let Some(url) = filled(attachment, "image_url") {
            add_paragraph(&mut all, &link("", url));
        }
        if all.is_empty() {
            all = convert(text(attachment, "fallback"));
        }
        all
    }

    /// mrkdwn of the blocks of a message that has no text.
    pub(super) fn blocks(&self, message: &Value) -> String {
        let mut all = String::new();
        for block in list(message, "blocks").iter().take(MOST) {
            add_paragraph(&mut all, &block_text(block, DEEPEST));
        }
        all
    }
}

/// The texts of a block and of what is in it.
fn block_text(block: &Value, depth: usize) -> String {
    let Some(depth) = depth.checked_sub(1) else {
        return String::new();
    };
    match text(block, "type") {
        "mrkdwn" | "plain_text" | "text" => return text(block, "text").to_owned(),
        "link" => {
            let (url, label) = (text(block, "url"), text(block, "text"));
            return if label.is_empty() {
                format!("<{url}>")
            } else {
                format!("<{url}|{label}>")
            };
        }
        "emoji" => return format!(":{}:", text(block, "name")),
        "user" => return format!("<@{}>", text(block, "user_id")),
        "channel" => return format!("<#{}>", text(block, "channel_id")),
        "broadcast" => return format!("<!{}>", text(block, "range")),
        "image" => return format!("<{}>", text(block, "image_url")),
        _ => {}
    }
    let separator = match text(block, "type") {
        "rich_text_section" | "rich_text_quote" | "rich_text_preformatted" => "",
        _ => "\n",
    };
    let inner = block.get("text").filter(|it| it.is_object());
    let parts: Vec<String> = inner
        .into_iter()
        .chain(list(block, "fields"))
        .chain(list(block, "elements"))
        .take(MOST)
        .map(|part| block_text(part, depth))
        .filter(|part| !part.is_empty())
        .collect();
    let all = parts.join(separator);
    match text(block, "type") {
        "rich_text_preformatted" if !all.is_empty() => format!("```{all}```"),
        "rich_text_quote" => all.lines().map(|line| format!("&gt; {line}\n")).collect(),
        "header" if !all.is_empty() => format!("*{all}*"),
        _ => all,
    }
}
