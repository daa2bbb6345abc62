//! Rich text of Slack, which its editor writes, as Markdown of this server.

use serde_json::Value;
use spindle_domain::text::first_chars;

use super::super::chat::text;
use super::super::json::{filled, flag, list, number, scalar, text as field};
use super::markup::{Markup, Text};

/// Deepest level of a list.
const MOST_INDENT: usize = 8;

/// What a part of a rich text is, as far as its neighbours need to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Section,
    List,
    Quote,
    Code,
}

/// Converts rich texts of a message.
pub(super) struct RichText<'m> {
    pub(super) markup: Markup<'m>,
    /// The text of the message in mrkdwn, which names groups and people that rich text has only ids of.
    pub(super) said: &'m str,
}

impl RichText<'_> {
    /// The text of a `rich_text` block.
    pub(super) fn block(&self, block: &Value) -> Text {
        let mut all = Text::default();
        let mut before = None;
        for element in list(block, "elements") {
            let (kind, part) = self.part(element);
            if part.content.trim().is_empty() {
                continue;
            }
            if !all.content.is_empty() {
                let is_close = matches!(
                    (before, kind),
                    (Some(Kind::Section), Kind::Section | Kind::List)
                        | (Some(Kind::List), Kind::List)
                        | (Some(Kind::Code), _)
                        | (_, Kind::Code)
                );
                all.content.push_str(if is_close { "\n" } else { "\n\n" });
                all.plain.push(' ');
            }
            before = Some(kind);
            all.append(part);
            if all.content.len() > text::LONGEST * 4 {
                break;
            }
        }
        all.content = first_chars(&all.content, text::LONGEST).to_owned();
        all
    }

    fn part(&self, element: &Value) -> (Kind, Text) {
        match field(element, "type") {
            "rich_text_list" => (Kind::List, self.list(element)),
            "rich_text_quote" => {
                let mut quote = self.inline(element);
                let content = quote.content.trim();
                quote.content = text::quoted(content);
                (Kind::Quote, quote)
            }
            "rich_text_preformatted" => {
                let code = self.inline(element).plain;
                let content = match code.trim().is_empty() {
                    true => String::new(),
                    false => text::fenced(language(element), &code),
                };
                let code = Text {
                    content,
                    plain: code,
                    ..Text::default()
                };
                (Kind::Code, code)
            }
            _ => {
                let mut section = self.inline(element);
                section.content = section.content.trim_matches('\n').to_owned();
                (Kind::Section, section)
            }
        }
    }

    fn list(&self, element: &Value) -> Text {
        let depth = number(element, "indent").unwrap_or_default();
        let indent =
            "  ".repeat(usize::try_from(depth).map_or(MOST_INDENT, |it| it.min(MOST_INDENT)));
        let first = number(element, "offset").unwrap_or_default().min(1_000_000) + 1;
        let is_ordered = field(element, "style") == "ordered";
        let mut all = Text::default();
        for (place, item) in (first..).zip(list(element, "elements")) {
            let mut item = self.inline(item);
            let marker = match is_ordered {
                true => format!("{place}. "),
                false => "- ".to_owned(),
            };
            let inner = format!("\n{indent}  ");
            item.content = item.content.trim_matches('\n').replace('\n', &inner);
            if !all.content.is_empty() {
                all.content.push('\n');
                all.plain.push(' ');
            }
            all.content.push_str(&indent);
            all.content.push_str(&marker);
            all.append(item);
        }
        if number(element, "border").unwrap_or_default() > 0 {
            all.content = text::quoted(&all.content);
        }
        all
    }

    /// The elements of a line or paragraph.
    fn inline(&self, element: &Value) -> Text {
        let mut all = Text::default();
        // Neighbours of the same style are one text: markers between them would show.
        let mut run: Option<(String, &Value)> = None;
        for element in list(element, "elements") {
            let style = element.get("style").unwrap_or(&Value::Null);
            if field(element, "type") == "text" {
                let new = scalar(element, "text");
                match &mut run {
                    Some((text, same)) if *same == style => text.push_str(&new),
                    _ => {
                        end_run(&mut all, run.take());
                        run = Some((new.into_owned(), style));
                    }
                }
                continue;
            }
            end_run(&mut all, run.take());
            self.element(element, style, &mut all);
        }
        end_run(&mut all, run);
        all
    }

    /// Everything but texts.
    fn element(&self, element: &Value, style: &Value, all: &mut Text) {
        let reference = |sign: &str, id: &str| {
            let label = self.label(sign, id);
            self.markup.reference(&format!("{sign}{id}|{label}"))
        };
        let found = match field(element, "type") {
            "user" => reference("@", field(element, "user_id")),
            "channel" => reference("#", field(element, "channel_id")),
            "usergroup" => reference("!subteam^", field(element, "usergroup_id")),
            "broadcast" => reference("!", field(element, "range")),
            "date" => {
                let (time, fallback) = (scalar(element, "timestamp"), field(element, "fallback"));
                self.markup.reference(&format!("!date^{time}|{fallback}"))
            }
            "emoji" => literal(emoji(element)),
            "link" => {
                let link = self
                    .markup
                    .link(field(element, "url"), filled(element, "text"));
                let is_labelled = link.content.starts_with('[');
                let mut content = String::new();
                let style = if is_labelled { style } else { &Value::Null };
                push_styled(&mut content, &all.content, &link.content, style);
                Text { content, ..link }
            }
            "color" => literal(field(element, "value").to_owned()),
            _ if !list(element, "elements").is_empty() => self.inline(element),
            _ => {
                let texts = ["text", "fallback", "name", "title"];
                let text = texts.into_iter().find_map(|name| filled(element, name));
                literal(text.unwrap_or_default().to_owned())
            }
        };
        all.append(found);
    }

    /// The name that the text of the message gives to an id.
    fn label(&self, sign: &str, id: &str) -> &str {
        let behind = self.said.split_once(&format!("<{sign}{id}|"));
        let label = behind.and_then(|(_, behind)| behind.split_once('>'));
        label.map_or("", |(label, _)| label)
    }
}

/// A text of which the plain form is the same.
fn literal(content: String) -> Text {
    Text {
        plain: content.clone(),
        content,
        ..Text::default()
    }
}

fn end_run(all: &mut Text, run: Option<(String, &Value)>) {
    let Some((text, style)) = run else {
        return;
    };
    let mut content = String::new();
    push_styled(&mut content, &all.content, &text, style);
    all.content.push_str(&content);
    all.plain.push_str(&text);
}

/// Appends a text with the markers of its style, line by line. Markers that would not work there are left out. `before` is
/// the text in front of `into`.
fn push_styled(into: &mut String, before: &str, text: &str, style: &Value) {
    for (place, line) in text.split('\n').enumerate() {
        if place > 0 {
            into.push('\n');
        }
        let body = line.trim();
        let Some(indent) = line.find(body).filter(|_| !body.is_empty()) else {
            into.push_str(line);
            continue;
        };
        let (lead, rest) = line.split_at(indent);
        let tail = rest.get(body.len()..).unwrap_or_default();
        into.push_str(lead);
        if flag(style, "code") {
            into.push_str(&code_span(body));
            into.push_str(tail);
            continue;
        }
        let last = into
            .chars()
            .next_back()
            .or_else(|| before.chars().next_back());
        let is_behind = |marker| last == Some(marker);
        let stars = match (flag(style, "bold"), flag(style, "italic")) {
            _ if body.contains('*') || is_behind('*') => "",
            (true, true) => "***",
            (true, false) => "**",
            (false, true) => "*",
            (false, false) => "",
        };
        let strike = match flag(style, "strike") && !body.contains('~') && !is_behind('~') {
            true => "~~",
            false => "",
        };
        for part in [strike, stars, body, stars, strike, tail] {
            into.push_str(part);
        }
    }
}

/// Code within a line, which may hold backticks itself.
fn code_span(code: &str) -> String {
    let longest = code.split(|other| other != '`').map(str::len).max();
    let ticks = "`".repeat(longest.unwrap_or_default() + 1);
    let space = if code.starts_with('`') || code.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{space}{code}{space}{ticks}")
}

/// The language of a block of code, where it is a single word.
fn language(element: &Value) -> &str {
    let language = field(element, "language");
    let is_word = |character: char| character.is_ascii_alphanumeric() || "+-#.".contains(character);
    if language.chars().all(is_word) {
        language
    } else {
        ""
    }
}

/// An emoji by its name here, else by its characters.
fn emoji(element: &Value) -> String {
    let name = field(element, "name");
    let points = field(element, "unicode").split('-');
    let points = points.map(|point| char::from_u32(u32::from_str_radix(point, 16).ok()?));
    match points.collect::<Option<String>>() {
        Some(characters) if spindle_emoji::code_for_short_name(name).is_none() => characters,
        _ => text::emoji(name),
    }
}

#[cfg(test)]
mod tests;
