//! Texts of strangers in Markdown: they are shown letter by letter, format nothing and notify no one.

use std::fmt::Write as _;

/// One line that shows exactly these letters, at most `most` of them: what Markdown would interpret becomes an entity, and
/// runs of white space one space.
#[must_use]
pub fn escape(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = cut(&words.join(" "), most);
    let open = unbalanced(&line);
    let mut escaped = String::with_capacity(line.len());
    let (mut before, mut is_number) = ('\0', true);
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        let rest = letters.as_str();
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
            // Writing to a text cannot fail.
            let _ = write!(escaped, "&#{};", u32::from(letter));
        } else if !letter.is_control() {
            escaped.push(letter);
        }
        before = letter;
        is_number &= letter.is_ascii_digit();
    }
    escaped
}

/// Characters of a list; a message has 10,000.
const MAX_LISTED: usize = 8_000;

/// The lines that fit into a message, and how many more there are.
#[must_use]
pub fn listed(lines: &[String]) -> String {
    let mut length = 0;
    let shown: Vec<&str> = (lines.iter().map(String::as_str))
        .take_while(|line| {
            length += line.chars().count();
            length < MAX_LISTED
        })
        .collect();
    match lines.len() - shown.len() {
        0 => shown.join("\n"),
        more => format!("{}\n\n… and {more} more.", shown.join("\n")),
    }
}

/// A link with this text, already Markdown; only the text if the address does not begin with https:// or http://.
#[must_use]
pub fn link(text: &str, url: &str) -> String {
    let url = url.trim();
    if text.is_empty() || !(url.starts_with("https://") || url.starts_with("http://")) {
        return text.to_owned();
    }
    let mut address = String::with_capacity(url.len());
    for letter in url.chars() {
        if matches!(letter, '(' | ')' | '<' | '>' | '*' | '`' | '\\') {
            let _ = write!(address, "%{:02X}", u32::from(letter));
        } else if letter.is_whitespace() {
            address.push_str("%20");
        } else if !letter.is_control() {
            address.push(letter);
        }
    }
    format!("[{text}]({address})")
}

/// The first `most` characters of a text, with an ellipsis if there are more.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let first: String = letters.by_ref().take(most).collect();
    match letters.next() {
        Some(_) => format!("{}…", first.trim_end()),
        None => first,
    }
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

fn begins_entity(rest: &str) -> bool {
    ends_with_sign(rest, ';', |letter| {
        letter.is_ascii_alphanumeric() || letter == '#'
    })
}

fn begins_emoji(rest: &str) -> bool {
    ends_with_sign(rest, ':', |letter| {
        letter.is_alphanumeric() || "_+-".contains(letter)
    })
}

/// Whether a name and then a sign is what a text begins with.
fn ends_with_sign(text: &str, sign: char, is_name: impl Fn(char) -> bool) -> bool {
    let rest = text.trim_start_matches(is_name);
    rest.len() < text.len() && rest.starts_with(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut_between_lines() {
        let lines = |number| vec!["x".repeat(1_000); number];
        assert_eq!(listed(&lines(2)), lines(2).join("\n"));
        let cut = format!("{}\n\n… and 3 more.", lines(7).join("\n"));
        assert_eq!(listed(&lines(10)), cut);
    }

    #[test]
    fn only_letters_with_a_meaning_are_escaped() {
        for (text, escaped) in [
            ("snake_case in [WIP] C#", "snake_case in [WIP] C#"),
            ("@**all** a*b", "@&#42;&#42;all&#42;&#42; a&#42;b"),
            ("[x](y)", "[x]&#40;y)"),
            ("a] b [", "a&#93; b &#91;"),
            ("&lt; & :smile: 10:30", "&#38;lt; & &#58;smile: 10:30"),
            ("# a", "&#35; a"),
            ("#7 a", "#7 a"),
            ("/me a", "&#47;me a"),
            ("1. a", "1&#46; a"),
            ("1.5", "1.5"),
            ("a\nb\t c\u{7}", "a b c"),
            (
                "~~~ $$x$$ $1",
                "&#126;&#126;&#126; &#36;&#36;x&#36;&#36; $1",
            ),
        ] {
            assert_eq!(escape(text, 100), escaped);
        }
        assert_eq!(escape("éé éé", 3), "éé…");
        assert_eq!(escape("", 3), "");
    }

    #[test]
    fn addresses_end_where_they_should() {
        assert_eq!(link("a", "https://x.org/(1)"), "[a](https://x.org/%281%29)");
        assert_eq!(link("a", " http://x.org/a b\n"), "[a](http://x.org/a%20b)");
        assert_eq!(link("a", "javascript:1"), "a");
        assert_eq!(link("", "https://x.org"), "");
    }
}
