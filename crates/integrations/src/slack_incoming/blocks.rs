//! Slack's blocks.

use serde_json::Value;

use crate::Node;
use crate::text::{escape_line, fenced, joined, silent};

use super::mrkdwn::{markdown, plain, plain_line, web_link};
use super::rich::rich_text;

/// A line across.
pub(super) const DIVIDER: &str = "---";

/// A block as Markdown; empty if there is nothing to show.
pub(super) fn block(block: Node<'_>) -> String {
    match block.at("type").str() {
        "" if !is_nested(block) => markdown(&block.text()),
        "header" => {
            let text = plain_line(&block.first(&["text/text", "text"]).text());
            if text.is_empty() {
                text
            } else {
                format!("## {text}")
            }
        }
        "section" => {
            let fields: Vec<String> = block.at("fields").list().map(text).collect();
            lines([
                text(block.at("text")),
                fields_of(&fields),
                element(block.at("accessory")),
            ])
        }
        "context" | "actions" | "context_actions" => {
            let between = if block.at("type").str() == "context" {
                " "
            } else {
                " · "
            };
            let elements: Vec<String> = block.at("elements").list().map(element).collect();
            // A block of code begins a line.
            let has_lines = elements.iter().any(|one| one.contains('\n'));
            joined(elements, if has_lines { "\n" } else { between })
        }
        "divider" => DIVIDER.to_owned(),
        "image" => image(block),
        "rich_text" => rich_text(block),
        "markdown" => silent(block.at("text").text().trim()),
        "input" => lines([
            text(block.at("label")),
            element(block.at("element")),
            text(block.at("hint")),
        ]),
        "video" => lines([
            web_link(
                block.first(&["title/text", "alt_text"]).str(),
                block.first(&["title_url", "video_url"]).str(),
            ),
            text(block.at("description")),
            joined(
                ["author_name", "provider_name"]
                    .into_iter()
                    .map(|key| plain_line(block.at(key).str())),
                " · ",
            ),
            picture("thumbnail", block.at("thumbnail_url").str()),
        ]),
        "table" => table(block),
        _ => unknown(block),
    }
}

/// A text object, or a text or number in its place.
pub(super) fn text(node: Node<'_>) -> String {
    match node.at("type").str() {
        "" if !is_nested(node) => markdown(&node.text()),
        "plain_text" => plain(&node.at("text").text()),
        "mrkdwn" => markdown(&node.at("text").text()),
        _ => element(node),
    }
}

fn is_nested(node: Node<'_>) -> bool {
    matches!(node.value(), Some(Value::Object(_) | Value::Array(_)))
}

/// The values of a list, or the one value in its place.
pub(super) fn items(node: Node<'_>) -> Vec<Node<'_>> {
    let is_alone = node.exists() && !node.value().is_some_and(Value::is_array);
    node.list().chain(is_alone.then_some(node)).collect()
}

/// Fields of several lines, such as a name above a value, stand apart.
fn fields_of(fields: &[String]) -> String {
    let has_lines = fields.iter().any(|field| field.contains('\n'));
    joined(
        fields.iter().cloned(),
        if has_lines { "\n\n" } else { "\n" },
    )
}

/// An element of a block: a text, picture, button, or another thing to press, which can only be shown.
pub(super) fn element(node: Node<'_>) -> String {
    if !node.exists() {
        return String::new();
    }
    match node.at("type").str() {
        "plain_text" | "mrkdwn" => text(node),
        "image" => image(node),
        "button" | "workflow_button" => {
            let label = node.first(&["text/text", "text"]).str();
            match node.at("url").str() {
                "" => plain_line(label),
                url => web_link(label, url),
            }
        }
        "overflow" | "checkboxes" | "radio_buttons" => joined(
            node.at("options")
                .list()
                .map(|option| match option.at("url").str() {
                    "" => text(option.at("text")),
                    url => web_link(option.at("text/text").str(), url),
                }),
            " · ",
        ),
        "rich_text" => rich_text(node),
        _ => unknown(node),
    }
}

fn image(node: Node<'_>) -> String {
    let title = node.first(&["title/text", "title", "alt_text"]).str();
    let url = node.first(&["image_url", "slack_file/url"]).str();
    match (title, url) {
        ("", "") => unknown(node),
        (title, url) => picture(title, url),
    }
}

/// A link to a picture, which the reader sees below it.
pub(super) fn picture(title: &str, url: &str) -> String {
    match (title, url) {
        ("" | "thumbnail", "") => String::new(),
        ("", url) => web_link("image", url),
        (title, url) => web_link(title, url),
    }
}

fn table(block: Node<'_>) -> String {
    let mut rows = block.at("rows").list().map(|row| {
        let cells = row.list().map(|cell| match cell.at("type").str() {
            "rich_text" => rich_text(cell).replace('\n', " "),
            _ => escape_line(&cell.at("text").text()),
        });
        let cells: Vec<String> = cells.map(|cell| cell.replace('|', "&#124;")).collect();
        format!("| {} |", cells.join(" | "))
    });
    let Some(head) = rows.next() else {
        return unknown(block);
    };
    let columns = block.at("rows/0").list().len();
    let rule = format!("|{}", " --- |".repeat(columns));
    [head, rule]
        .into_iter()
        .chain(rows)
        .collect::<Vec<_>>()
        .join("\n")
}

/// A thing of an unknown type: the texts in it, or else its JSON.
pub(super) fn unknown(node: Node<'_>) -> String {
    let mut found = Vec::new();
    texts(node, &mut found);
    match node.value() {
        Some(value) if found.is_empty() => fenced(
            &serde_json::to_string_pretty(value).unwrap_or_default(),
            "json",
        ),
        _ => found.join("\n"),
    }
}

fn texts(node: Node<'_>, found: &mut Vec<String>) {
    for inner in node.list() {
        texts(inner, found);
    }
    for (name, inner) in node.fields() {
        let is_shown = matches!(
            name,
            "text"
                | "title"
                | "subtitle"
                | "body"
                | "label"
                | "alt_text"
                | "description"
                | "fallback"
                | "name"
                | "placeholder"
        );
        match inner.value() {
            Some(Value::String(text)) if name.ends_with("url") => found.push(web_link("", text)),
            Some(Value::String(text)) if is_shown => found.push(markdown(text)),
            _ => texts(inner, found),
        }
    }
    found.retain(|text| !text.is_empty());
}

fn lines(parts: impl IntoIterator<Item = String>) -> String {
    joined(parts, "\n")
}
