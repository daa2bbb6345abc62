//! The message that an integration makes.

use serde_json::Value;

use crate::Node;
use crate::text::{self, cut};

/// Most commits that one message lists.
pub(crate) const COMMITS: usize = 20;
/// Most lines of a list of fields.
const FIELDS: usize = 20;
/// Most characters of a message; the API allows 10,000.
const MOST: usize = 9000;

/// A message of an integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The kind of event, for `only_events` and `exclude_events`; empty where calls do not name theirs.
    pub event: &'static str,
    /// Topic, unless the address names one.
    pub topic: String,
    /// Markdown.
    pub content: String,
}

impl Message {
    /// A message with parts of Markdown, each beginning a line; empty ones are left out.
    pub(crate) fn new<'a>(
        event: &'static str,
        topic: impl Into<String>,
        parts: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut content = String::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let last = content.lines().next_back().unwrap_or_default();
            // Text after a list would belong to its last item.
            let is_text = !part.starts_with("* ") && !part.starts_with("```");
            if last.starts_with("* ") && is_text {
                content.push('\n');
            }
            if !content.is_empty() {
                content.push('\n');
            }
            content.push_str(part);
        }
        // The text of an outsider is no command, such as `/me` or `/poll`.
        if content.starts_with('/') {
            content.replace_range(..1, "&#47;");
        }
        Self {
            event,
            topic: one_line(&topic.into()),
            content: without_controls(&cut(&content, MOST)),
        }
    }
}

/// Topics are plain text of one line; the server cuts them at its limit.
fn one_line(topic: &str) -> String {
    let line = topic.split_whitespace().collect::<Vec<_>>().join(" ");
    without_controls(&line)
}

/// The server refuses some of these.
fn without_controls(text: &str) -> String {
    let is_shown = |letter: &char| matches!(letter, '\n' | '\t') || !letter.is_control();
    text.chars().filter(is_shown).collect()
}

/// A commit of a push.
pub(crate) struct Commit<'a> {
    pub(crate) id: &'a str,
    /// Its message; only the first line is shown.
    pub(crate) message: &'a str,
    pub(crate) url: &'a str,
    /// Shown unless it is the person who pushed.
    pub(crate) author: Option<&'a str>,
}

/// A list of commits, at most twenty of `total`.
pub(crate) fn commits<'a>(commits: impl Iterator<Item = Commit<'a>>, total: usize) -> String {
    let mut lines: Vec<String> = commits.take(COMMITS).map(line).collect();
    if total > lines.len() {
        lines.push(format!("* and {} more", total - lines.len()));
    }
    lines.join("\n")
}

fn line(commit: Commit<'_>) -> String {
    let title = text::escape(commit.message.lines().next().unwrap_or_default());
    let id: String = commit.id.chars().take(7).collect();
    let link = text::link(&id, commit.url);
    let link = if link.is_empty() {
        link
    } else {
        format!("({link})")
    };
    let author = commit.author.filter(|author| !author.is_empty());
    let author = author.map_or_else(String::new, |author| format!("– {}", text::escape(author)));
    format!("* {}", text::joined([title, link, author], " "))
}

/// The kind of this name; empty for a kind that is not in the list.
pub(crate) fn event(kinds: &'static [&'static str], name: &str) -> &'static str {
    let found = kinds.iter().find(|kind| kind.eq_ignore_ascii_case(name));
    found.copied().unwrap_or_default()
}

/// A list of the values that have a text, at most twenty; values in lists are separated by commas.
pub(crate) fn fields<'a>(fields: impl Iterator<Item = (&'a str, Node<'a>)>) -> String {
    let lines = fields.filter_map(|(name, node)| {
        let texts = node.list().map(Node::text);
        let value = text::joined(texts.chain([node.text()]), ", ");
        let value = text::escape(&value);
        (!value.is_empty()).then(|| format!("* {}: {value}", text::bold(name)))
    });
    lines.take(FIELDS).collect::<Vec<_>>().join("\n")
}

/// A message that shows a body which the integration does not understand.
pub(crate) fn unknown(display_name: &str, body: &Value) -> Message {
    let written = match body {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let language = if body.is_string() { "" } else { "json" };
    let said = format!("{display_name} sent a message of an unknown form:");
    Message::new(
        "",
        display_name,
        [&*said, &*text::block(&written, language)],
    )
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn a_list_ends_before_text() {
        let said = Message::new(
            "",
            "a  b",
            ["x:", "", "* y", "* z", "more", "```\ncode\n```"],
        );
        assert_eq!(said.topic, "a b");
        assert_eq!(said.content, "x:\n* y\n* z\n\nmore\n```\ncode\n```");
    }
}
