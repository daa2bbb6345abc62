//! Slack's mrkdwn as Markdown of this server.
//!
//! Owns the rules of texts: references in angle brackets, code, emoji, and below it emphasis,
//! quotes and lists.

mod emphasis;
mod lines;

use std::collections::HashMap;

use jiff::Timestamp;
use spindle_domain::text::first_chars;

use self::emphasis::{Atom, styled};
use self::lines::lines;
use super::super::chat::{Chat, text};

/// The names that texts refer to.
pub(super) struct Markup<'c> {
    pub(super) chat: &'c Chat,
    /// Channels by their id in Slack.
    pub(super) channels: &'c HashMap<String, u32>,
}

/// A text of this server.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    /// Markdown.
    pub(super) content: String,
    /// Without any markup, for titles.
    pub(super) plain: String,
    pub(super) mentions: Vec<i64>,
    pub(super) mentions_all: bool,
}

impl Text {
    fn set(&mut self, atom: Atom) {
        (self.content, self.plain) = match atom {
            Atom::Whole { content, plain, .. } => (content, plain),
            Atom::Character(character) => (character.to_string(), character.to_string()),
        };
    }
}

impl Markup<'_> {
    /// Converts a text.
    pub(super) fn convert(&self, mrkdwn: &str) -> Text {
        let mut text = Text::default();
        let mut rest = first_chars(mrkdwn, text::LONGEST);
        while let Some((before, code, behind)) = fence(rest) {
            self.prose(before, &mut text);
            let code = self.code(code);
            if !text.content.is_empty() && !text.content.ends_with('\n') {
                text.content.push('\n');
            }
            text.content.push_str(&text::fenced("", &code));
            text.plain.push_str(&format!(" {code} "));
            rest = behind.strip_prefix('\n').unwrap_or(behind);
            if !rest.is_empty() {
                text.content.push('\n');
            }
        }
        self.prose(rest, &mut text);
        text
    }

    fn prose(&self, mrkdwn: &str, text: &mut Text) {
        if mrkdwn.is_empty() {
            return;
        }
        let atoms = self.atoms(mrkdwn, text);
        text.content.push_str(&lines(&styled(&atoms, true)));
        text.plain.push_str(&styled(&atoms, false));
    }

    fn atoms(&self, mrkdwn: &str, text: &mut Text) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let mut rest = mrkdwn;
        while let Some(character) = rest.chars().next() {
            let behind = rest.get(character.len_utf8()..).unwrap_or_default();
            let taken = match character {
                '<' => behind.find(['>', '<', '\n']).and_then(|end| {
                    let inner = behind.get(..end)?;
                    behind.get(end..)?.strip_prefix('>')?;
                    atoms.push(self.brackets(inner, text));
                    Some(end + 2)
                }),
                '&' => entity(rest).map(|(character, length)| {
                    atoms.push(Atom::Character(character));
                    length
                }),
                '`' => code_span(behind).map(|inner| {
                    let code = self.code(inner);
                    atoms.push(Atom::Whole {
                        content: format!("`{code}`"),
                        plain: code,
                        is_fragile: false,
                    });
                    inner.len() + 2
                }),
                ':' => text::emoji_name(behind).map(|(name, length)| {
                    let emoji = text::emoji(name);
                    atoms.push(Atom::Whole {
                        content: emoji.clone(),
                        plain: emoji,
                        is_fragile: false,
                    });
                    length + 1
                }),
                _ => None,
            };
            let taken = taken.unwrap_or_else(|| {
                atoms.push(Atom::Character(character));
                character.len_utf8()
            });
            rest = rest.get(taken..).unwrap_or_default();
        }
        atoms
    }

    /// The text of a reference, given as between `<` and `>`.
    pub(super) fn reference(&self, inner: &str) -> Text {
        let mut text = Text::default();
        let atom = self.brackets(inner, &mut text);
        text.set(atom);
        text
    }

    /// A link, of which the label is only shown where it says more than the address.
    pub(super) fn link(&self, url: &str, label: Option<&str>) -> Text {
        let mut text = Text::default();
        text.set(link(url, label));
        text
    }

    /// The text between `<` and `>`.
    fn brackets(&self, inner: &str, text: &mut Text) -> Atom {
        let (target, label) = match inner.split_once('|') {
            Some((target, label)) => (target, Some(label).filter(|label| !label.is_empty())),
            None => (inner, None),
        };
        let label = label.map(decoded);
        let fragile = |content: String, plain: String| Atom::Whole {
            content,
            plain,
            is_fragile: true,
        };
        let same = |content: String| fragile(content.clone(), content);
        if let Some(id) = target.strip_prefix('@') {
            let found = self.chat.people.id(id);
            let known = found.and_then(|id| Some((id, self.chat.people.get(id)?)));
            return match known {
                Some((id, person)) => {
                    text.mentions.push(id);
                    let mention = self.chat.people.mention(id).unwrap_or_default();
                    fragile(mention, format!("@{}", person.full_name))
                }
                None => same(format!(
                    "@{}",
                    label.as_deref().unwrap_or(id).trim_start_matches('@')
                )),
            };
        }
        if let Some(id) = target.strip_prefix('#') {
            let channel = self.channels.get(id).copied();
            let known = channel.and_then(|channel| {
                let name = &self.chat.channels.get(channel)?.name;
                Some((self.chat.channels.link(channel)?, format!("#{name}")))
            });
            return match known {
                Some((content, plain)) => fragile(content, plain),
                None => same(format!(
                    "#{}",
                    label.as_deref().unwrap_or(id).trim_start_matches('#')
                )),
            };
        }
        if let Some(special) = target.strip_prefix('!') {
            return match special {
                "here" | "channel" | "everyone" | "group" => {
                    text.mentions_all = true;
                    fragile("@**all**".to_owned(), "@all".to_owned())
                }
                _ => same(special_text(special, label)),
            };
        }
        link(&decoded(target), label.as_deref())
    }

    /// Code as it was shown: without brackets and entities.
    fn code(&self, mrkdwn: &str) -> String {
        let mut code = String::new();
        let mut rest = mrkdwn;
        while let Some((before, behind)) = rest.split_once('<') {
            code.push_str(&decoded(before));
            let Some((inner, behind)) = behind.split_once('>') else {
                code.push('<');
                rest = behind;
                continue;
            };
            match self.brackets(inner, &mut Text::default()) {
                Atom::Whole { plain, .. } => code.push_str(&plain),
                Atom::Character(character) => code.push(character),
            }
            rest = behind;
        }
        code.push_str(&decoded(rest));
        code
    }
}

fn link(url: &str, label: Option<&str>) -> Atom {
    let shown = url.strip_prefix("mailto:").unwrap_or(url);
    let bare = |text: &str| {
        let text = text.trim_end_matches('/');
        let text = text.strip_prefix("https://").unwrap_or(text);
        text.strip_prefix("http://").unwrap_or(text).to_owned()
    };
    match label {
        Some(label) if bare(label) != bare(shown) => {
            let label = unmarked(label);
            Atom::Whole {
                content: text::link(&label, url),
                plain: label,
                is_fragile: false,
            }
        }
        _ => {
            let address = text::address(shown);
            Atom::Whole {
                content: address.clone(),
                plain: address,
                is_fragile: true,
            }
        }
    }
}

/// The text of a `<!…>` that is no wildcard mention.
fn special_text(special: &str, label: Option<String>) -> String {
    let mut parts = special.split('^');
    let (kind, subject) = (parts.next(), parts.next());
    if let (Some("date"), Some(seconds)) = (kind, subject)
        && let Ok(seconds) = seconds.parse()
        && let Ok(time) = Timestamp::from_second(seconds)
    {
        return format!("<time:{time}>");
    }
    match (label, kind, subject) {
        (Some(label), ..) => label,
        (None, Some("date"), _) => special.to_owned(),
        (None, Some("subteam"), Some(id)) => format!("@{id}"),
        (None, ..) => format!("@{special}"),
    }
}

/// The text before, within and behind the first block of code.
fn fence(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("```")?;
    let (code, behind) = rest.split_once("```")?;
    if code.trim().is_empty() {
        return None;
    }
    Some((before, code, behind))
}

/// The code at the beginning of a text that follows a backtick.
fn code_span(behind: &str) -> Option<&str> {
    let code = behind.get(..behind.find(['`', '\n'])?)?;
    let is_closed = behind.as_bytes().get(code.len()) == Some(&b'`');
    (is_closed && !code.trim().is_empty()).then_some(code)
}

/// The character of an entity, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>')]
        .into_iter()
        .find(|(entity, _)| text.starts_with(entity))
        .map(|(entity, character)| (character, entity.len()))
}

/// A text without entities.
pub(super) fn decoded(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// A label without emphasis around it, which would be shown literally within a link.
fn unmarked(label: &str) -> String {
    let mut label = label.trim();
    for marker in ['*', '_', '~', '`'] {
        if let Some(inner) = label
            .strip_prefix(marker)
            .and_then(|label| label.strip_suffix(marker))
            && !inner.is_empty()
        {
            label = inner;
        }
    }
    label.to_owned()
}

#[cfg(test)]
mod tests;
