//! Converts rendered messages to plain text, for push notifications.
//!
//! Supports only the output of [`crate::render`]: well-formed elements with quoted attributes. It makes one pass
//! over the HTML and keeps the visible text; spoilers stay closed.

use std::collections::BTreeSet;

/// Void elements, which have no end tag.
const VOID: [&str; 5] = ["br", "hr", "img", "input", "source"];

/// The users and groups mentioned (not silently) in rendered HTML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MentionedIn {
    /// Ids of users.
    pub users: BTreeSet<i64>,
    /// Ids of groups.
    pub groups: BTreeSet<i64>,
}

/// Finds the mentions in rendered HTML; silent mentions do not count.
#[must_use]
pub fn mentioned_in(html: &str) -> MentionedIn {
    let mut found = MentionedIn::default();
    for piece in Pieces(html) {
        let Piece::Open(tag) = piece else { continue };
        if tag.name() != "span" || tag.has_class("silent") {
            continue;
        }
        let id = |name: &str| -> Option<i64> { tag.attribute(name)?.parse().ok() };
        if tag.has_class("user-mention") {
            found.users.extend(id("data-user-id"));
        } else if tag.has_class("user-group-mention") {
            found.groups.extend(id("data-user-group-id"));
        }
    }
    found
}

/// The text of rendered HTML.
#[must_use]
pub fn plain_text(html: &str) -> String {
    let mut writer = Writer::default();
    for piece in Pieces(html) {
        match piece {
            Piece::Text(text) => writer.text(text),
            Piece::Open(tag) => writer.open(&tag),
            Piece::Close => writer.close(),
        }
    }
    writer.text.trim().to_owned()
}

/// An open element, with the action at its end.
enum Open {
    Plain,
    /// The content is hidden and replaced by this text.
    Hidden(&'static str),
    /// An emoji or a formula: its content is replaced.
    Replaced,
    /// Lines since here are quoted.
    Quote(usize),
    /// The number of the next item; `None` for unordered lists.
    List(Option<i64>),
}

#[derive(Default)]
struct Writer {
    text: String,
    open: Vec<Open>,
    /// The number of open elements that hide their text.
    hidden: usize,
}

impl Writer {
    fn text(&mut self, text: &str) {
        if self.hidden == 0 {
            unescape(text, &mut self.text);
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name();
        if name == "img" {
            self.text(tag.attribute("alt").unwrap_or_default());
        }
        if VOID.contains(&name) {
            return;
        }
        let opened = match name {
            "blockquote" => Open::Quote(self.text.len()),
            "ol" => {
                let start = tag.attribute("start").and_then(|start| start.parse().ok());
                Open::List(Some(start.unwrap_or(1)))
            }
            "ul" => Open::List(None),
            "li" => {
                self.item();
                Open::Plain
            }
            "mrow" => Open::Hidden(""),
            _ if tag.has_class("katex-html") => Open::Hidden(""),
            _ if tag.has_class("spoiler-content") => Open::Hidden("(…)"),
            "span" => self.emoji(tag),
            _ => Open::Plain,
        };
        if matches!(opened, Open::Hidden(_) | Open::Replaced) {
            self.hidden += 1;
        }
        self.open.push(opened);
    }

    /// A Unicode emoji is shown as itself.
    fn emoji(&mut self, tag: &Tag<'_>) -> Open {
        let code = tag.classes().find_map(|class| class.strip_prefix("emoji-"));
        let character = |digits| {
            u32::from_str_radix(digits, 16)
                .ok()
                .and_then(char::from_u32)
        };
        let emoji: Option<String> = code.and_then(|code| code.split('-').map(character).collect());
        match emoji {
            Some(emoji) if self.hidden == 0 => {
                self.text.push_str(&emoji);
                Open::Replaced
            }
            _ => Open::Plain,
        }
    }

    fn item(&mut self) {
        if self.hidden > 0 {
            return;
        }
        match self.open.last_mut() {
            Some(Open::List(Some(number))) => {
                self.text.push_str(&format!("{number}. "));
                *number = number.saturating_add(1);
            }
            _ => self.text.push_str("• "),
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Hidden(instead)) => {
                self.hidden = self.hidden.saturating_sub(1);
                if self.hidden == 0 && !instead.is_empty() {
                    self.text.truncate(self.text.trim_end().len());
                    self.text.push(' ');
                    self.text.push_str(instead);
                }
            }
            Some(Open::Replaced) => self.hidden = self.hidden.saturating_sub(1),
            Some(Open::Quote(start)) => {
                let quoted = self.text.get(start..).unwrap_or_default();
                let lines: Vec<String> = quoted
                    .lines()
                    .filter(|line| !line.trim().is_empty())
                    .map(|line| format!("> {line}"))
                    .collect();
                self.text.truncate(start);
                self.text.push_str(&lines.join("\n"));
            }
            Some(Open::Plain | Open::List(_)) | None => {}
        }
    }
}

/// Replaces the entities that the renderer writes; others are kept as written.
fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let entity = after.split_once(';').filter(|(name, _)| name.len() < 9);
        match entity.and_then(|(name, rest)| Some((character(name)?, rest))) {
            Some((character, behind)) => {
                out.push(character);
                rest = behind;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "nbsp" => Some(' '),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|character| !character.is_control())
        }
    }
}

enum Piece<'h> {
    Text(&'h str),
    Open(Tag<'h>),
    Close,
}

/// An opening tag, without its angle brackets.
struct Tag<'h>(&'h str);

impl<'h> Tag<'h> {
    fn name(&self) -> &'h str {
        self.0.split([' ', '/']).next().unwrap_or_default()
    }

    fn attribute(&self, name: &str) -> Option<&'h str> {
        let mut rest = self.0.get(self.name().len()..)?;
        loop {
            rest = rest.trim_start();
            let (found, behind) = rest.split_once("=\"")?;
            let (value, behind) = behind.split_once('"')?;
            // Attributes without a value may precede it.
            if found.rsplit(' ').next() == Some(name) {
                return Some(value);
            }
            rest = behind;
        }
    }

    fn classes(&self) -> impl Iterator<Item = &'h str> {
        self.attribute("class").unwrap_or_default().split(' ')
    }

    fn has_class(&self, name: &str) -> bool {
        self.classes().any(|class| class == name)
    }
}

/// An iterator over tags and texts.
struct Pieces<'h>(&'h str);

impl<'h> Iterator for Pieces<'h> {
    type Item = Piece<'h>;

    fn next(&mut self) -> Option<Piece<'h>> {
        if self.0.is_empty() {
            return None;
        }
        let Some(tag) = self.0.strip_prefix('<') else {
            let end = self.0.find('<').unwrap_or(self.0.len());
            let (text, rest) = self.0.split_at(end);
            self.0 = rest;
            return Some(Piece::Text(text));
        };
        let end = end_of_tag(tag);
        let (inside, rest) = tag.split_at(end);
        self.0 = rest.strip_prefix('>').unwrap_or_default();
        Some(if inside.starts_with('/') {
            Piece::Close
        } else {
            Piece::Open(Tag(inside))
        })
    }
}

/// The end of a tag: values of attributes may contain `>`.
fn end_of_tag(tag: &str) -> usize {
    let mut is_quoted = false;
    for (at, byte) in tag.bytes().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'>' if !is_quoted => return at,
            _ => {}
        }
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Directory, render};

    fn shown(markdown: &str) -> String {
        let directory = Directory::default();
        plain_text(&render(markdown, &Context::new(&directory, "https://x.org")).html)
    }

    #[test]
    fn messages_read_as_they_look() {
        for (markdown, expected) in [
            ("plain", "plain"),
            ("**bold** and `code <b>`", "bold and code <b>"),
            ("a & b < c \"d\" &copy; &#65;", "a & b < c \"d\" &copy; A"),
            ("one\ntwo\n\nthree", "one\ntwo\nthree"),
            ("[text](https://x.org/a)", "text"),
            ("> quoted\n\nanswer", "> quoted\nanswer"),
            ("* a\n* b", "• a\n• b"),
            ("3. c\n4. d", "3. c\n4. d"),
            (":tada: ok", "🎉 ok"),
            ("```spoiler Head\nhidden\n```", "Head (…)"),
            ("$$x^2$$", "x^2"),
        ] {
            assert_eq!(shown(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn attributes_may_hold_what_ends_a_tag() {
        let html = "<p><img alt=\":a>b:\" class=\"emoji\"> <a title=\"x > y\" href=\"/\">z</a></p>";
        assert_eq!(plain_text(html), ":a>b: z");
        assert_eq!(plain_text("<p"), "");
        assert_eq!(plain_text("</p></p>a"), "a");
    }

    #[test]
    fn only_those_mentioned_aloud_are_found() {
        let html = "<p><span class=\"user-mention\" data-user-id=\"7\">@A</span> \
            <span class=\"user-mention silent\" data-user-id=\"8\">B</span> \
            <span class=\"user-mention channel-wildcard-mention\" data-user-id=\"*\">@all</span> \
            <span class=\"user-group-mention\" data-user-group-id=\"9\">@g</span></p>";
        let found = mentioned_in(html);
        assert_eq!(Vec::from_iter(found.users), [7]);
        assert_eq!(Vec::from_iter(found.groups), [9]);
    }
}
