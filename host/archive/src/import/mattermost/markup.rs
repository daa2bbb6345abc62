//! Mattermost's Markdown as Markdown of this server.
//!
//! Both are similar. Owns the differences: mentions, links to channels, emphasis with underscores,
//! images, emoji, formulas. Code is left alone.

use std::collections::HashMap;

use spindle_domain::text::first_chars;

use super::super::chat::{Chat, text};
use super::fence::{Fence, begins_paragraph, first_line, is_point};

/// How far away the end of an emphasis may be, in bytes.
const LONGEST_EMPHASIS: usize = 4_000;

/// The names that texts refer to.
pub(super) struct Markup<'c> {
    pub(super) chat: &'c Chat,
    /// Channels by team and name.
    pub(super) channels: &'c HashMap<(String, String), u32>,
    pub(super) team: &'c str,
}

/// A text of this server.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    /// Markdown.
    pub(super) content: String,
    pub(super) mentions: Vec<i64>,
    pub(super) mentions_all: bool,
}

impl Markup<'_> {
    /// Converts a text.
    pub(super) fn convert(&self, markdown: &str) -> Text {
        let mut text = Text::default();
        let mut fence: Option<Fence<'_>> = None;
        let (mut prose, mut is_list) = (String::new(), false);
        for line in first_chars(markdown, text::LONGEST).split_inclusive('\n') {
            if let Some(open) = &fence {
                let is_end = open.is_closed_by(line);
                text.content.push_str(&open.line(line));
                if is_end {
                    fence = None;
                }
                continue;
            }
            fence = Fence::of(line, is_list);
            match &fence {
                Some(open) => {
                    self.prose(&prose, &mut text);
                    prose.clear();
                    text.content
                        .push_str(&first_line(line.trim_start(), open.marker));
                }
                None => {
                    is_list = is_point(line) || (is_list && !begins_paragraph(line));
                    prose.push_str(line);
                }
            }
        }
        self.prose(&prose, &mut text);
        text
    }

    /// Text without blocks of code.
    fn prose(&self, markdown: &str, text: &mut Text) {
        let mut rest = markdown;
        let mut before = None;
        while let Some(character) = rest.chars().next() {
            let behind = rest.get(character.len_utf8()..).unwrap_or_default();
            let is_free = before.is_none_or(|before: char| !before.is_alphanumeric());
            let taken = match character {
                '`' => code_span(rest).inspect(|length| {
                    text.content
                        .push_str(rest.get(..*length).unwrap_or_default());
                }),
                '\\' => {
                    let is_first = is_first_in_line(&text.content);
                    let next = behind.chars().next();
                    next.and_then(|next| escaped(next, is_first)).map(|shown| {
                        text.content.push_str(&shown);
                        2
                    })
                }
                '@' if is_free => self.mention(behind, text).map(|length| length + 1),
                '~' if is_free && before != Some('~') => {
                    self.channel(behind, text).map(|length| length + 1)
                }
                '_' if is_free && before != Some('_') => emphasis(rest).map(|(inner, length)| {
                    let marker = if length - inner.len() > 2 { "**" } else { "*" };
                    let mut nested = Text::default();
                    self.prose(inner, &mut nested);
                    // Around a mention it would only break it.
                    let marker = if nested.content.contains("@**") || nested.content.contains("#**")
                    {
                        ""
                    } else {
                        marker
                    };
                    text.content.push_str(marker);
                    text.content.push_str(&nested.content);
                    text.content.push_str(marker);
                    text.mentions.extend(nested.mentions);
                    text.mentions_all |= nested.mentions_all;
                    length
                }),
                // An inline image becomes a link.
                '!' if behind.starts_with('[') => Some(1),
                ':' => text::emoji_name(behind).map(|(name, length)| {
                    text.content.push_str(&text::emoji(name));
                    length + 1
                }),
                'h' | 'w' if is_free => address(rest).inspect(|length| {
                    text.content
                        .push_str(rest.get(..*length).unwrap_or_default());
                }),
                _ => None,
            };
            let taken = taken.unwrap_or_else(|| {
                text.content.push(character);
                character.len_utf8()
            });
            before = rest
                .get(..taken)
                .and_then(|taken| taken.chars().next_back());
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    /// A mention, of which `rest` is the text behind `@`, and its length.
    fn mention(&self, rest: &str, text: &mut Text) -> Option<usize> {
        let mut name = word(rest)?;
        loop {
            let folded = name.to_lowercase();
            if matches!(folded.as_str(), "all" | "channel" | "here") {
                text.content.push_str("@**all**");
                text.mentions_all = true;
                return Some(name.len());
            }
            if let Some(id) = self.chat.people.id(&folded) {
                text.content.push_str(&self.chat.people.mention(id)?);
                text.mentions.push(id);
                return Some(name.len());
            }
            // A name may end with a point, and a sentence too.
            name = name.strip_suffix(['.', '-', '_'])?;
        }
    }

    /// A link to a channel, of which `rest` is the text behind `~`, and its length.
    fn channel(&self, rest: &str, text: &mut Text) -> Option<usize> {
        let name = word(rest)?.trim_end_matches(['.', '-', '_']);
        let key = (self.team.to_owned(), name.to_owned());
        let index = self.channels.get(&key)?;
        text.content.push_str(&self.chat.channels.link(*index)?);
        Some(name.len())
    }
}

/// The text of a character behind a backslash, and what it is here, where texts have no escapes: a character reference, if
/// it would mean something. `is_first`: nothing but white space is in front of it in its line.
fn escaped(character: char, is_first: bool) -> Option<String> {
    let means_something = match character {
        '*' | '`' | '~' | '[' | ':' | '<' | '|' | '$' => true,
        '#' | '>' | '-' | '+' | '.' | ')' => is_first,
        other if other.is_ascii_punctuation() => false,
        _ => return None,
    };
    Some(match means_something {
        true => format!("&#{};", u32::from(character)),
        false => character.to_string(),
    })
}

/// Whether what comes next is the first of its line, but for the number of a list.
fn is_first_in_line(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim().chars().all(|it| it.is_ascii_digit())
}

/// The name at the beginning of a text.
fn word(rest: &str) -> Option<&str> {
    let end = rest
        .find(|character: char| {
            !(character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_'))
        })
        .unwrap_or(rest.len());
    rest.get(..end)
        .filter(|word| !word.is_empty() && word.len() <= 100)
}

/// How long the code is at the beginning of a text.
fn code_span(text: &str) -> Option<usize> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let fence = text.get(..ticks)?;
    let behind = text.get(ticks..)?;
    let end = behind
        .get(..behind.find("\n\n").unwrap_or(behind.len()))?
        .find(fence)?;
    Some(ticks * 2 + end)
}

/// How long the address is at the beginning of a text.
fn address(text: &str) -> Option<usize> {
    ["http://", "https://", "www."]
        .into_iter()
        .find(|scheme| text.starts_with(scheme))?;
    let end = text.find(|character: char| {
        character.is_whitespace() || matches!(character, ')' | '<' | '>' | '"' | ']')
    });
    Some(end.unwrap_or(text.len()))
}

/// The text that one or two underscores at the beginning emphasize, and its length with them.
fn emphasis(text: &str) -> Option<(&str, usize)> {
    let marker = if text.starts_with("__") { "__" } else { "_" };
    let behind = text.get(marker.len()..)?;
    let mut line = behind.get(..behind.find('\n').unwrap_or(behind.len()))?;
    while line.len() > LONGEST_EMPHASIS {
        line = line.get(..line.rfind(' ')?)?;
    }
    for (end, _) in line.match_indices(marker) {
        let (inner, after) = (line.get(..end)?, line.get(end + marker.len()..)?);
        let is_edge = inner.is_empty()
            || inner.starts_with([' ', '_'])
            || inner.ends_with([' ', '_'])
            || after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        if !is_edge {
            return Some((inner, inner.len() + marker.len() * 2));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::super::options::Origin;
    use super::super::super::testing::small_chat;
    use super::*;

    fn convert(markdown: &str) -> Text {
        let (chat, index) = small_chat(Origin::Mattermost, "ann.lee", "Town Square");
        let key = ("team".to_owned(), "town-square".to_owned());
        let markup = Markup {
            chat: &chat,
            channels: &HashMap::from([(key, index)]),
            team: "team",
        };
        markup.convert(markdown)
    }

    #[track_caller]
    fn becomes(markdown: &str, expected: &str) {
        assert_eq!(convert(markdown).content, expected, "{markdown:?}");
    }

    #[test]
    fn mentions_name_people_and_channels() {
        becomes(
            "@ann.lee, (@Ann.Lee) and @ann.lee.",
            "@**Ann Lee|1**, (@**Ann Lee|1**) and @**Ann Lee|1**.",
        );
        assert_eq!(convert("@ann.lee").mentions, [1]);
        becomes("@nobody a@ann.lee", "@nobody a@ann.lee");
        for all in ["@all", "@channel", "@here"] {
            becomes(all, "@**all**");
            assert!(convert(all).mentions_all, "{all}");
        }
        becomes("see ~town-square.", "see #**Town Square**.");
        becomes("~other ~~gone~~", "~other ~~gone~~");
    }

    #[test]
    fn emphasis_is_written_with_stars() {
        becomes("_it_ __bold__ **bold** *it*", "*it* **bold** **bold** *it*");
        becomes("snake_case_name _a_b_", "snake_case_name *a_b*");
        becomes("_ no _ _open", "_ no _ _open");
        becomes("_@ann.lee_", "@**Ann Lee|1**");
        becomes("https://x.org/_a_/b", "https://x.org/_a_/b");
    }

    #[test]
    fn code_is_left_alone() {
        becomes("`_x_ @all` ``a`_b_``", "`_x_ @all` ``a`_b_``");
        becomes("```go\n_x_ @all\n```\n_y_", "```go\n_x_ @all\n```\n*y*");
        becomes("```latex\n\\frac{1}{2}\n```", "```math\n\\frac{1}{2}\n```");
        becomes("```\nopen _x_", "```\nopen _x_");
        becomes("````\n```\n_x_\n````\n_y_", "````\n```\n_x_\n````\n*y*");
        becomes("```_x_``` _y_", "```_x_``` *y*");
        // A block ends with a fence that is at least as long.
        becomes("```\n_x_\n`````\n_y_", "```\n_x_\n```\n*y*");
        becomes("~~~\n_x_\n```\n~~~~  \n_y_", "~~~\n_x_\n```\n~~~\n*y*");
        becomes("```\n~~~\n``\n```\n_y_", "```\n~~~\n``\n```\n*y*");
        // Within a list it is indented, and the list continues.
        becomes(
            "1. a\n   ```\n   x\n     y\n   ```\n2. _b_",
            "1. a\n```\nx\n  y\n```\n2. *b*",
        );
        becomes(
            "- a\n    ```\n    x\n    ```\n- _b_",
            "- a\n```\nx\n```\n- *b*",
        );
        becomes("a\n\n    ```\n_b_", "a\n\n    ```\n*b*");
        assert!(!convert("```\n@all\n```").mentions_all);
    }

    #[test]
    fn escapes_show_the_character() {
        becomes("snake\\_case \\(x\\)\\.", "snake_case (x).");
        becomes("\\*no\\* \\`no\\`", "&#42;no&#42; &#96;no&#96;");
        becomes("\\# no\n\\> no\n1\\. no", "&#35; no\n&#62; no\n1&#46; no");
        becomes("a \\# b \\- c", "a # b - c");
        becomes("\\@all \\~town-square", "@all &#126;town-square");
        assert!(!convert("\\@all").mentions_all);
        becomes("C:\\new\\data \\\\server", "C:\\new\\data \\server");
        becomes("`\\*` \\", "`\\*` \\");
    }

    #[test]
    fn images_are_links_and_emoji_have_their_names() {
        becomes("![alt](https://x.org/a.png)", "[alt](https://x.org/a.png)");
        becomes(
            "wow! :smile: :thumbsup: :custom:",
            "wow! :smile: :+1: :custom:",
        );
    }

    #[test]
    fn odd_texts_take_no_time() {
        assert!(!convert(&"_a ".repeat(20_000)).content.is_empty());
        assert!(!convert(&"`a ".repeat(20_000)).content.is_empty());
        assert!(
            !convert(&format!("{}x{}", "_*".repeat(900), "*_".repeat(900)))
                .content
                .is_empty()
        );
    }
}
