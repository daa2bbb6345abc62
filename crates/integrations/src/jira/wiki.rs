//! Converts Jira's markup to Markdown: code, quotations, headings, lists, links and emphasis. The rest is unchanged.

use crate::Node;
use crate::text::{code, link};

/// The text of a description or comment: its markup, or the words of a document of Atlassian's editor.
pub(super) fn source(node: Node<'_>) -> String {
    let mut text = node.text();
    if node.at("content").exists() {
        words(node, &mut text);
    }
    text
}

fn words(node: Node<'_>, into: &mut String) {
    into.push_str(node.first(&["text", "attrs/text"]).str());
    if node.at("type").str() == "hardBreak" {
        into.push('\n');
    }
    for child in node.at("content").list() {
        words(child, into);
    }
    let ends_line = ["paragraph", "heading", "codeBlock"].contains(&node.at("type").str());
    if ends_line {
        into.push('\n');
    }
}

/// Markdown of Jira's markup.
pub(super) fn markdown(wiki: &str) -> String {
    let wiki = wiki.replace("\r\n", "\n");
    let (mut blocks, mut rest) = (Vec::new(), &*wiki);
    while let Some((before, tag, inner, after)) = next_code(rest) {
        blocks.push(prose(before));
        blocks.push(fenced(tag, inner));
        rest = after;
    }
    blocks.push(prose(rest));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n")
}

/// Splits at the first block of code: the text before, the tag, the code, and the text after.
fn next_code(text: &str) -> Option<(&str, &str, &str, &str)> {
    let at = [text.find("{code"), text.find("{noformat")];
    let at = at.into_iter().flatten().min()?;
    let (before, from) = text.split_at(at);
    let (tag, inner) = from.strip_prefix('{')?.split_once('}')?;
    let end = if tag.starts_with("code") {
        "{code}"
    } else {
        "{noformat}"
    };
    let (inner, after) = inner.split_once(end).unwrap_or((inner, ""));
    Some((before, tag, inner, after))
}

fn fenced(tag: &str, code: &str) -> String {
    let language = tag.split(':').nth(1).unwrap_or_default();
    let language = language.split('|').next().unwrap_or_default();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "+#-".contains(letter);
    let language = if language.chars().all(is_name) {
        language
    } else {
        ""
    };
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", code.trim_matches('\n'))
}

fn prose(text: &str) -> String {
    let mut lines = Vec::new();
    let mut is_quoted = false;
    for line in text.trim_matches('\n').lines() {
        let line = line.trim_end();
        if line == "{quote}" {
            is_quoted = !is_quoted;
            continue;
        }
        let line = block(line);
        lines.push(if is_quoted { format!("> {line}") } else { line });
    }
    lines.join("\n").trim_matches('\n').to_owned()
}

/// One line: a heading, an item of a list, a quotation, or text.
fn block(line: &str) -> String {
    let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
    let heading = mark
        .strip_prefix('h')
        .and_then(|level| level.strip_suffix('.'));
    if heading.is_some_and(|level| level.len() == 1 && level.bytes().all(|b| b.is_ascii_digit())) {
        return format!("**{}**", spans(rest.trim()));
    }
    if mark == "bq." {
        return format!("> {}", spans(rest.trim()));
    }
    let is_item = !rest.is_empty() && !mark.is_empty() && mark.chars().all(|c| "*#-".contains(c));
    if is_item {
        let indent = "  ".repeat(mark.len() - 1);
        let bullet = if mark.ends_with('#') { "1." } else { "*" };
        return format!("{indent}{bullet} {}", spans(rest));
    }
    spans(line)
}

/// Emphasis, links and code inside a line.
fn spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let is_start =
            !out.ends_with(|before: char| before.is_alphanumeric() || "*_".contains(before));
        let span = match letter {
            '{' => monospaced(rest).or_else(|| tag(rest)),
            '[' => bracketed(rest),
            '*' if is_start => emphasis(rest, '*', "**"),
            '_' if is_start => emphasis(rest, '_', "*"),
            '\\' => escaped(rest),
            _ => None,
        };
        let (shown, taken) = span.unwrap_or_else(|| (letter.to_string(), letter.len_utf8()));
        out.push_str(&shown);
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

type Span = Option<(String, usize)>;

fn monospaced(text: &str) -> Span {
    let inner = text.strip_prefix("{{")?;
    let (inner, _) = inner.split_once("}}")?;
    Some((code(inner), inner.len() + 4))
}

/// Tags that only colour and frame go.
fn tag(text: &str) -> Span {
    let (inner, _) = text.strip_prefix('{')?.split_once('}')?;
    let name = inner.split(':').next().unwrap_or_default();
    ["color", "panel", "quote", "anchor"]
        .contains(&name)
        .then(|| (String::new(), inner.len() + 2))
}

/// A link, or the name of a person.
fn bracketed(text: &str) -> Span {
    let (inner, _) = text.strip_prefix('[')?.split_once(']')?;
    let taken = inner.len() + 2;
    if let Some(person) = inner.strip_prefix('~') {
        let name = person.strip_prefix("accountid:").unwrap_or(person);
        return Some((format!("@{name}"), taken));
    }
    let mut parts = inner.split('|');
    let (first, second) = (parts.next()?, parts.next());
    let is_address = |text: &str| text.starts_with("http://") || text.starts_with("https://");
    match second {
        Some(address) if is_address(address) => Some((link(first, address), taken)),
        None if is_address(first) => Some((first.to_owned(), taken)),
        _ => None,
    }
}

fn emphasis(text: &str, sign: char, mark: &str) -> Span {
    let inner = text.strip_prefix(sign)?;
    let (end, _) = inner.match_indices(sign).find(|(at, _)| {
        let after = inner.get(at + 1..).unwrap_or_default();
        let before = inner.get(..*at).unwrap_or_default();
        !before.ends_with(|c: char| c.is_whitespace() || c == sign)
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == sign)
    })?;
    let inner = inner.get(..end).unwrap_or_default();
    let is_span = !inner.is_empty() && !inner.starts_with(|c: char| c.is_whitespace() || c == sign);
    is_span.then(|| (format!("{mark}{}{mark}", spans(inner)), end + 2))
}

/// Jira escapes letters that mean nothing in Markdown.
fn escaped(text: &str) -> Span {
    let next = text.chars().nth(1)?;
    "!{}-+^~?&|".contains(next).then(|| (next.to_string(), 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::{markdown, source};

    #[test]
    fn markup_becomes_markdown() {
        for (wiki, expected) in [
            (
                "h1. Title\r\n\r\nSome *bold* and _soft_ text, 2*3*4, snake_case_name",
                "**Title**\n\nSome **bold** and *soft* text, 2*3*4, snake_case_name",
            ),
            (
                "see [docs|https://x.org/a] or [https://y.org], [~ann] [1]",
                "see [docs](https://x.org/a) or https://y.org, @ann [1]",
            ),
            (
                "* a\n** b\n# c\n{quote}\nsaid\n{quote}\nbq. too",
                "* a\n  * b\n1. c\n> said\n> too",
            ),
            (
                "{code:python}\nx = *y*\n{code}\nend{noformat}a{noformat}",
                "```python\nx = *y*\n```\nend\n```\na\n```",
            ),
            ("{{mono_x}} {color:red}hot{color}\\!", "`mono_x` hot!"),
            ("{code unclosed * [ _", "{code unclosed * [ _"),
        ] {
            assert_eq!(markdown(wiki), expected);
        }
    }

    proptest! {
        /// Tags are in small letters, words of this test in capital letters.
        #[test]
        fn words_stay(wiki in "([A-Z]{1,3}|[*_{}|\\[\\]~\\\\#\\n -]|\\{code\\}|\\{quote\\}|\\{\\{){0,20}") {
            let words = |text: &str| text.chars().filter(|c| c.is_uppercase()).collect::<String>();
            prop_assert_eq!(words(&markdown(&wiki)), words(&wiki));
        }
    }

    #[test]
    fn documents_of_the_editor_are_text() {
        let document = json!({"type": "doc", "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": " b"}]},
            {"type": "paragraph", "content": [{"type": "text", "text": "c"}]}]});
        assert_eq!(source(crate::Node::of(&document)), "a b\nc\n");
    }
}
