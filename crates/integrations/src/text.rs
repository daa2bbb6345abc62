//! Texts of outsiders in Markdown: they arrive letter by letter, format nothing and mention no one.

use std::fmt::Write as _;

/// Most characters of a name or title in a message.
const TITLE: usize = 200;
/// Most characters of a quotation.
const QUOTED: usize = 1000;

/// One line of text that shows exactly these letters: what Markdown would interpret becomes an entity, and runs of white
/// space one space. Longer texts are cut at 200 characters.
pub(crate) fn escape(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape_line(&cut(&line, TITLE))
}

/// As [`escape`], for a line whose length is bounded elsewhere; it keeps its white space.
pub(crate) fn escape_line(line: &str) -> String {
    let open = unbalanced(line);
    let mut escaped = String::with_capacity(line.len());
    let (mut before, mut is_number) = ('\0', true);
    for (at, letter) in line.char_indices() {
        let rest = &line[at + letter.len_utf8()..];
        let is_special = match letter {
            '*' | '`' | '<' | '\\' => true,
            '[' | ']' => open.binary_search(&at).is_ok(),
            '(' => before == ']',
            '~' | '$' => before == letter || rest.starts_with(letter),
            '&' => begins_entity(rest),
            ':' => begins_emoji(rest),
            '#' => at == 0 && begins_heading(rest),
            '>' | '-' | '+' | '|' | '/' => at == 0,
            '.' | ')' => {
                at > 0 && is_number && !rest.starts_with(|letter: char| !letter.is_whitespace())
            }
            _ => false,
        };
        if is_special {
            // Writing to a text does not fail.
            let _ = write!(escaped, "&#{};", u32::from(letter));
        } else if !letter.is_control() {
            escaped.push(letter);
        }
        before = letter;
        is_number &= letter.is_ascii_digit();
    }
    escaped
}

/// The positions of brackets that have no counterpart, sorted.
fn unbalanced(line: &str) -> Vec<usize> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for (at, letter) in line.char_indices() {
        match letter {
            '[' => open.push(at),
            ']' if open.pop().is_none() => found.push(at),
            _ => {}
        }
    }
    found.extend(open);
    found.sort_unstable();
    found
}

/// Whether only further number signs are before white space, so that `#7` is not escaped.
fn begins_heading(rest: &str) -> bool {
    let text = rest.trim_start_matches('#');
    text.is_empty() || text.starts_with(char::is_whitespace)
}

pub(crate) fn begins_entity(rest: &str) -> bool {
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '#');
    end.is_some_and(|end| end > 0 && rest[end..].starts_with(';'))
}

fn begins_emoji(rest: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || "_+-".contains(letter);
    let end = rest.find(|letter| !is_name(letter));
    end.is_some_and(|end| end > 0 && rest[end..].starts_with(':'))
}

/// The first characters of a text, with an ellipsis if there are more than `most`.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Bold text; nothing for an empty one.
pub(crate) fn bold(text: &str) -> String {
    let text = escape(text);
    if text.is_empty() {
        text
    } else {
        format!("**{text}**")
    }
}

/// A code span with exactly this text.
pub(crate) fn code(text: &str) -> String {
    code_line(&cut(
        &text.split_whitespace().collect::<Vec<_>>().join(" "),
        TITLE,
    ))
}

/// As [`code`], for a line whose length is bounded elsewhere; it keeps its white space.
pub(crate) fn code_line(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    // A fence of one more than the longest run inside; a space keeps a backtick at the ends apart.
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A link, or only its text if the address is no web address.
pub(crate) fn link(text: &str, url: &str) -> String {
    linked(&escape(text), url)
}

/// As [`link`], for a text that is Markdown already.
pub(crate) fn linked(text: &str, url: &str) -> String {
    let url = url.trim();
    if text.is_empty() || !(url.starts_with("https://") || url.starts_with("http://")) {
        return text.to_owned();
    }
    let mut address = String::with_capacity(url.len());
    for letter in url.chars() {
        match letter {
            '(' => address.push_str("%28"),
            ')' => address.push_str("%29"),
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '*' => address.push_str("%2A"),
            '`' => address.push_str("%60"),
            '\\' => address.push_str("%5C"),
            letter if letter.is_whitespace() => address.push_str("%20"),
            letter if letter.is_control() => {}
            letter => address.push(letter),
        }
    }
    format!("[{text}]({address})")
}

/// A quotation of Markdown of an outsider, at most 1,000 characters of it: it keeps its formatting and loses
/// its mentions. Nothing for an empty text.
pub(crate) fn quote(text: &str) -> String {
    let text = silent(&cut(text.trim(), QUOTED));
    if text.is_empty() {
        return text;
    }
    let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
    format!("{fence}quote\n{text}\n{fence}")
}

/// A quotation of text without markup, which keeps its letters and lines, at most 1,000 characters. Nothing for an empty
/// text.
pub(crate) fn quote_plain(text: &str) -> String {
    let text = cut(text.trim(), QUOTED);
    let lines = text.lines().map(|line| escape_line(line.trim()));
    let lines = lines.collect::<Vec<_>>().join("\n");
    if lines.is_empty() {
        return lines;
    }
    format!("```quote\n{lines}\n```")
}

/// A block of text that is shown as it is, at most 1,000 characters of it; `language` may be empty. Nothing for an empty
/// text.
pub(crate) fn block(text: &str, language: &str) -> String {
    fenced(&cut(text.trim_matches('\n'), QUOTED), language)
}

/// As [`block`], for a text whose length is bounded elsewhere.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let text = text.trim_matches('\n');
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Markdown of an outsider without mentions.
pub(crate) fn silent(text: &str) -> String {
    let mut silent = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '#']) {
        let (before, from) = rest.split_at(at);
        silent.push_str(before);
        let (sign, after) = from.split_at(1);
        let is_mention = after.starts_with('*') || after.starts_with("_*");
        silent.push_str(match (is_mention, sign) {
            (true, "@") => "&#64;",
            (true, _) => "&#35;",
            (false, sign) => sign,
        });
        rest = after;
    }
    silent.push_str(rest);
    silent.retain(|letter| letter == '\n' || letter == '\t' || !letter.is_control());
    silent
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for letter in text.chars() {
        run = if letter == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The parts that are not empty, with a text between each two.
pub(crate) fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(between)
}

/// A number with its noun: `1 commit`, `2 commits`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{end}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_letters_with_a_meaning_are_escaped() {
        for (text, escaped) in [
            (
                "snake_case fails in [WIP] C#",
                "snake_case fails in [WIP] C#",
            ),
            ("@**all** a*b", "@&#42;&#42;all&#42;&#42; a&#42;b"),
            ("[x](y)", "[x]&#40;y)"),
            ("a] b [", "a&#93; b &#91;"),
            (
                "&lt; & :smile: 10:30:00",
                "&#38;lt; & &#58;smile: 10&#58;30:00",
            ),
            ("# a", "&#35; a"),
            ("#7 a", "#7 a"),
            ("1. a", "1&#46; a"),
            ("1.5", "1.5"),
            ("a\nb\t c", "a b c"),
        ] {
            assert_eq!(escape(text), escaped);
        }
    }

    /// The letters that a reader sees of Markdown.
    fn shown(markdown: &str) -> String {
        let html = crate::testing::html(markdown);
        // Addresses are no letters of the text.
        crate::html::text_of(&html.replace("<a ", "<b "))
    }

    proptest! {
        #[test]
        fn readers_see_the_letters_of_an_escaped_text(text in "[ -~\\n]{0,40}|[*_`@\\[\\]()~$:a<&#;1./ -]{0,20}") {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(shown(&escape(&text)), line.clone());
            prop_assert_eq!(shown(&format!("ann: {}", escape(&text))), format!("ann: {line}").trim().to_owned());
            prop_assert_eq!(shown(&link(&text, "https://x.org/a")), line.clone());
            prop_assert_eq!(shown(&bold(&text)), line.clone());
            prop_assert_eq!(shown(&code(&text)), line);
        }
    }

    #[test]
    fn addresses_end_where_they_should() {
        assert_eq!(link("a", "https://x.org/(1)"), "[a](https://x.org/%281%29)");
        assert_eq!(link("a", "javascript:1"), "a");
        assert_eq!(link("", "https://x.org"), "");
    }

    #[test]
    fn quotations_mention_no_one_and_end() {
        assert_eq!(
            quote("hi @**all** #**x**"),
            "```quote\nhi &#64;**all** &#35;**x**\n```"
        );
        assert_eq!(
            quote_plain("a_b *c*\n  1. `d`"),
            "```quote\na_b &#42;c&#42;\n1&#46; &#96;d&#96;\n```"
        );
        assert_eq!(quote("````\nx\n````"), "`````quote\n````\nx\n````\n`````");
        assert_eq!(code("a`b"), "``a`b``");
    }
}
