//! Slack's mrkdwn as Markdown of this server.
//!
//! Owns the rules of texts: references in angle brackets, emphasis, quotes, lists, code, emoji. It
//! must not know which message a text belongs to.

use std::collections::HashMap;

use jiff::Timestamp;
use spindle_domain::text::first_chars;

use super::super::chat::{Chat, text};

/// Most characters of a text that are looked at; more than is kept.
const LONGEST: usize = 80_000;
/// How far away the end of an emphasis may be.
const LONGEST_EMPHASIS: usize = 2_000;
/// Slack's bullets of list items, by level.
const BULLETS: [char; 3] = ['•', '◦', '▪'];

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

/// A part of a text.
#[derive(Debug)]
enum Atom {
    Character(char),
    /// A finished part, which is not converted again.
    Whole {
        content: String,
        plain: String,
        /// Means nothing with emphasis around it: mentions, links to channels, bare addresses.
        is_fragile: bool,
    },
}

impl Markup<'_> {
    /// Converts a text.
    pub(super) fn convert(&self, mrkdwn: &str) -> Text {
        let mut text = Text::default();
        let mut rest = first_chars(mrkdwn, LONGEST);
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
        self.link(&decoded(target), label.as_deref())
    }

    fn link(&self, url: &str, label: Option<&str>) -> Atom {
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

/// The text of a `<!…>` that is no wildcard mention.
fn special_text(special: &str, label: Option<String>) -> String {
    if let Some(label) = label {
        return label;
    }
    let mut parts = special.split('^');
    match (parts.next(), parts.next()) {
        (Some("date"), Some(seconds)) => seconds
            .parse()
            .ok()
            .and_then(|seconds| Timestamp::from_second(seconds).ok())
            .map_or_else(|| special.to_owned(), |time| format!("<time:{time}>")),
        (Some("subteam"), Some(id)) => format!("@{id}"),
        _ => format!("@{special}"),
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

/// The character that an entity stands for, and how long the entity is.
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

/// The text of these atoms, with emphasis as Markdown, or without any.
fn styled(atoms: &[Atom], is_marked: bool) -> String {
    let mut out = String::new();
    let mut index = 0;
    while let Some(atom) = atoms.get(index) {
        match atom {
            Atom::Whole { content, plain, .. } => {
                out.push_str(if is_marked { content } else { plain })
            }
            Atom::Character(character) => {
                if let Some(end) = emphasis(atoms, index, *character) {
                    let inner = atoms.get(index + 1..end).unwrap_or_default();
                    let is_fragile = inner.iter().any(|atom| {
                        matches!(
                            atom,
                            Atom::Whole {
                                is_fragile: true,
                                ..
                            }
                        )
                    });
                    let marker = match character {
                        _ if is_fragile || !is_marked => "",
                        '*' => "**",
                        '_' => "*",
                        _ => "~~",
                    };
                    out.push_str(marker);
                    out.push_str(&styled(inner, is_marked));
                    out.push_str(marker);
                    index = end + 1;
                    continue;
                }
                out.push(*character);
            }
        }
        index += 1;
    }
    out
}

/// Where the emphasis ends that begins at `begin`, if one does.
fn emphasis(atoms: &[Atom], begin: usize, marker: char) -> Option<usize> {
    if !matches!(marker, '*' | '_' | '~') {
        return None;
    }
    let at = |index: usize| match atoms.get(index) {
        Some(Atom::Character(character)) => Some(*character),
        // Counts as a letter.
        Some(Atom::Whole { .. }) => Some('x'),
        None => None,
    };
    let is_word = |index: usize| matches!(atoms.get(index), Some(Atom::Character(character)) if character.is_alphanumeric());
    let is_inner_edge = |character: char| !character.is_whitespace() && character != marker;
    let is_free = begin.checked_sub(1).is_none_or(|before| !is_word(before));
    if !is_free || !at(begin + 1).is_some_and(is_inner_edge) {
        return None;
    }
    for end in begin + 2..atoms.len().min(begin + LONGEST_EMPHASIS) {
        let character = at(end)?;
        if character == '\n' {
            return None;
        }
        let is_marker = matches!(atoms.get(end), Some(Atom::Character(other)) if *other == marker);
        if is_marker && at(end - 1).is_some_and(is_inner_edge) && !is_word(end + 1) {
            return Some(end);
        }
    }
    None
}

/// Quotes and lists, which are a matter of lines.
fn lines(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let (mut was_quote, mut all_quoted) = (false, false);
    for line in text.split('\n') {
        if all_quoted {
            out.push(format!("> {}", point(line)));
            continue;
        }
        if let Some(rest) = line.strip_prefix(">>>") {
            all_quoted = true;
            out.push(format!("> {}", rest.trim_start()));
            continue;
        }
        let is_quote = line.starts_with('>');
        // Markdown would take the next line for a part of the quote.
        if was_quote && !is_quote && !line.trim().is_empty() {
            out.push(String::new());
        }
        was_quote = is_quote;
        out.push(point(line));
    }
    out.join("\n")
}

/// A line that begins with a bullet as a point of a list.
fn point(line: &str) -> String {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let Some(behind) = trimmed.strip_prefix(BULLETS) else {
        return line.to_owned();
    };
    let behind = behind.trim_start_matches('\u{fe0e}');
    match behind.strip_prefix([' ', '\u{a0}', '\t']) {
        Some(point) => format!("{}- {}", "  ".repeat(indent / 4), point.trim_start()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::bounds::Bounds;
    use super::super::super::chat::{Channel, Person, PersonKind};
    use super::super::super::options::Origin;
    use super::*;

    fn convert(mrkdwn: &str) -> Text {
        let mut chat = Chat::new(
            Origin::Slack,
            Path::new(""),
            "x.invalid".to_owned(),
            Bounds::default(),
        );
        let ann = Person::new(PersonKind::Human, "Ann Lee", "ann");
        chat.people.add("U1", ann).unwrap();
        let channel = Channel {
            name: "general".to_owned(),
            ..Channel::default()
        };
        let general = chat.channels.add(channel).unwrap();
        let channels = HashMap::from([("C1".to_owned(), general)]);
        let markup = Markup {
            chat: &chat,
            channels: &channels,
        };
        markup.convert(mrkdwn)
    }

    #[track_caller]
    fn becomes(mrkdwn: &str, markdown: &str) {
        assert_eq!(convert(mrkdwn).content, markdown, "{mrkdwn:?}");
    }

    #[test]
    fn emphasis_follows_its_rules() {
        becomes("*bold* _it_ ~gone~", "**bold** *it* ~~gone~~");
        becomes("*_both_*", "***both***");
        becomes("(*x*), *y*!", "(**x**), **y**!");
        for unchanged in [
            "2*3*4",
            "snake_case_name",
            "* no *",
            "a * b",
            "*over\nlines*",
            "**",
            "~",
            "_",
            "a*b*",
        ] {
            becomes(unchanged, unchanged);
        }
        becomes("*`x`*", "**`x`**");
    }

    #[test]
    fn brackets_become_mentions_and_links() {
        becomes(
            "hi <@U1> and <@U1|ann>",
            "hi @**Ann Lee|1** and @**Ann Lee|1**",
        );
        assert_eq!(convert("<@U1>").mentions, [1]);
        becomes("<@U9> <@U9|zoe>", "@U9 @zoe");
        becomes(
            "<#C1> <#C1|general> <#C9|gone> <#C9>",
            "#**general** #**general** #gone #C9",
        );
        for all in ["<!here>", "<!channel>", "<!everyone>", "<!here|here>"] {
            becomes(all, "@**all**");
            assert!(convert(all).mentions_all, "{all}");
        }
        becomes("<!subteam^S1|@devs> <!subteam^S1>", "@devs @S1");
        becomes("<!date^1392734382^{date}|Feb 18>", "Feb 18");
        becomes("<!date^1392734382^{date}>", "<time:2014-02-18T14:39:42Z>");
        becomes("<https://x.org/a_b_c>", "https://x.org/a_b_c");
        becomes("<https://x.org/|x.org>", "https://x.org/");
        becomes(
            "<https://x.org/?a=1&amp;b=2|the *one*>",
            "[the *one*](https://x.org/?a=1&b=2)",
        );
        becomes("<https://x.org|*bold*>", "[bold](https://x.org)");
        becomes("<mailto:a@x.org|a@x.org>", "a@x.org");
        becomes("<mailto:a@x.org|write>", "[write](mailto:a@x.org)");
        // Emphasis that would break its content is left out.
        becomes("*<@U1>* *<https://x.org>*", "@**Ann Lee|1** https://x.org");
        becomes("*<https://x.org|x>*", "**[x](https://x.org)**");
        becomes("a < b", "a < b");
    }

    #[test]
    fn entities_are_characters() {
        becomes("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d");
        becomes("&amp;lt; &nbsp;", "&lt; &nbsp;");
    }

    #[test]
    fn code_is_left_alone() {
        becomes(
            "`*a* <https://x.org> &lt;b&gt; :smile:`",
            "`*a* https://x.org <b> :smile:`",
        );
        becomes("```let x = *y*;```", "```\nlet x = *y*;\n```");
        becomes(
            "see:\n```\na &amp;&amp; b\n```\nend",
            "see:\n```\na && b\n```\nend",
        );
        becomes("a ```x``` b", "a \n```\nx\n```\n b");
        becomes("```open", "```open");
        becomes("`a\nb`", "`a\nb`");
    }

    #[test]
    fn emoji_are_called_as_here() {
        becomes(":smile: :thumbsup::skin-tone-2:", ":big_smile: :+1:");
        becomes(":party_parrot: 10:30:00", ":party_parrot: 10:30:00");
    }

    #[test]
    fn quotes_and_lists_end_where_they_ended() {
        becomes("&gt; one\n&gt; two\nthree", "> one\n> two\n\nthree");
        becomes("&gt;&gt;&gt; one\ntwo", "> one\n> two");
        becomes("• a\n    ◦ b\n• c", "- a\n  - b\n- c");
        becomes("a•b", "a•b");
    }

    #[test]
    fn titles_have_no_markup() {
        let text = convert("*Deploy* on <https://x.org|Friday>, <@U1>? `now` &amp; here\n```x```");
        assert_eq!(text.plain, "Deploy on Friday, @Ann Lee? now & here\n x ");
    }

    #[test]
    fn odd_texts_take_no_time() {
        let long = "*a ".repeat(40_000);
        assert!(convert(&long).content.starts_with("*a *a"));
        let nested = format!("{}x{}", "*_".repeat(900), "_*".repeat(900));
        assert!(!convert(&nested).content.is_empty());
        assert!(convert(&"<".repeat(100_000)).content.len() <= LONGEST);
    }
}
