//! Slack's attachments.

use serde_json::Value;

use crate::Node;
use crate::text::joined;
use crate::time::unix_time;

use super::blocks::{block, element, picture, text, unknown};
use super::mrkdwn::{plain_line, web_link};

/// Parts that are shown in their own way, and those that say nothing by themselves.
const KNOWN: &[&str] = &[
    "actions",
    "attachment_type",
    "author_icon",
    "author_link",
    "author_name",
    "blocks",
    "callback_id",
    "color",
    "fallback",
    "fields",
    "footer",
    "footer_icon",
    "id",
    "image_url",
    "mrkdwn_in",
    "pretext",
    "text",
    "thumb_url",
    "title",
    "title_link",
    "ts",
];

/// An attachment as Markdown; empty if there is nothing to show.
pub(super) fn attachment(attachment: Node<'_>) -> String {
    let shown = |key: &str| text(attachment.at(key));
    if !attachment.value().is_some_and(Value::is_object) {
        return text(attachment);
    }
    let fields: Vec<String> = attachment.at("fields").list().map(field).collect();
    let mut parts = vec![
        shown("pretext"),
        named(attachment, "author_name", "author_link"),
        title(attachment),
        shown("text"),
        joined(fields, "\n"),
        joined(attachment.at("blocks").list().map(block), "\n\n"),
        joined(attachment.at("actions").list().map(action), " · "),
        picture("", attachment.at("image_url").str()),
        picture("thumbnail", attachment.at("thumb_url").str()),
        footer(attachment),
    ];
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        let fallback = shown("fallback");
        let has_more = attachment
            .fields()
            .any(|(name, node)| !KNOWN.contains(&name) && node.exists());
        return if fallback.is_empty() && has_more {
            unknown(attachment)
        } else {
            fallback
        };
    }
    // After a quotation or list, a line would belong to it.
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            let last = out.lines().next_back().unwrap_or_default().trim_start();
            let is_apart = last.starts_with(['>', '*', '-', '+', '|'])
                || part.contains("\n\n")
                || last.starts_with(|letter: char| letter.is_ascii_digit());
            out.push_str(if is_apart && !last.starts_with("**") {
                "\n\n"
            } else {
                "\n"
            });
        }
        out.push_str(&part);
    }
    out
}

fn named(attachment: Node<'_>, name: &str, link: &str) -> String {
    match (attachment.at(name).str(), attachment.at(link).str()) {
        ("", _) => String::new(),
        (name, "") => plain_line(name),
        (name, url) => web_link(&super::mrkdwn::decode(name), url),
    }
}

fn title(attachment: Node<'_>) -> String {
    let title = attachment.at("title").text();
    let title = match attachment.at("title_link").str() {
        "" => plain_line(&title),
        url => web_link(&super::mrkdwn::decode(&title), url),
    };
    if title.is_empty() {
        title
    } else {
        format!("**{title}**")
    }
}

fn field(field: Node<'_>) -> String {
    let title = plain_line(&field.at("title").text());
    let value = text(field.at("value"));
    match (title.is_empty(), value.is_empty()) {
        (true, true) => String::new(),
        (true, false) => value,
        (false, true) => format!("**{title}**"),
        (false, false) if value.contains('\n') => format!("**{title}**:\n{value}"),
        (false, false) => format!("**{title}**: {value}"),
    }
}

/// A button of the older form, or an element.
fn action(action: Node<'_>) -> String {
    if action.at("text").value().is_some_and(Value::is_string) {
        match action.at("url").str() {
            "" => plain_line(action.at("text").str()),
            url => web_link(action.at("text").str(), url),
        }
    } else {
        element(action)
    }
}

/// The footer and the time, which some programs send with a fraction.
fn footer(attachment: Node<'_>) -> String {
    let written = attachment.at("ts").text();
    let seconds = written
        .split('.')
        .next()
        .and_then(|seconds| seconds.parse().ok());
    let footer = attachment.at("footer").text();
    let parts = [
        plain_line(&footer),
        seconds.map(unix_time).unwrap_or_default(),
    ];
    joined(parts, " · ")
}
