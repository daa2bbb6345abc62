//! Texts of names, links and topics: what remains of foreign ones where this server has rules.

use spindle_domain::text::{Form, first_chars, is_longer_than};

/// Most characters of a foreign text that are read; more than is kept.
pub(crate) const LONGEST: usize = 80_000;

/// A text of one line without characters that cannot be printed, of at most `most` characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    first_chars(&Form::Name.mend(text), most)
        .trim_end()
        .to_owned()
}

/// A text cut to `most` characters between words, with an ellipsis where something is missing.
pub(crate) fn beginning(text: &str, most: usize) -> String {
    let text = line(text, most.saturating_mul(4).max(most + 1));
    if !is_longer_than(&text, most) {
        return text;
    }
    let cut = first_chars(&text, most.saturating_sub(1));
    // Between words, unless that would leave next to nothing.
    let cut = match cut.rfind(' ') {
        Some(space) if space * 2 > cut.len() => cut.get(..space).unwrap_or(cut),
        _ => cut,
    };
    format!("{}…", cut.trim_end_matches([' ', ',', '.', ':', ';', '-']))
}

/// A link in Markdown.
pub(crate) fn link(label: &str, url: &str) -> String {
    let url = address(url);
    let label = line(label, 500).replace('[', "(").replace(']', ")");
    if label.is_empty() || label == url {
        url
    } else {
        format!("[{label}]({url})")
    }
}

/// An address that ends where it should within Markdown.
pub(crate) fn address(url: &str) -> String {
    let mut safe = String::with_capacity(url.len());
    for character in url.trim().chars() {
        match character {
            ' ' => safe.push_str("%20"),
            '(' => safe.push_str("%28"),
            ')' => safe.push_str("%29"),
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '*' => safe.push_str("%2A"),
            other if other.is_control() => {}
            other => safe.push(other),
        }
    }
    safe
}

/// A block of code; `code` may hold fences itself.
pub(crate) fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", code.trim_matches('\n'))
}

/// A text with every line quoted.
pub(crate) fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// Appends a paragraph.
pub(crate) fn add_paragraph(text: &mut String, paragraph: &str) {
    if paragraph.trim().is_empty() {
        return;
    }
    if !text.trim().is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(paragraph.trim_end());
}

/// The text behind a name between colons, if `rest` begins with one (behind its first colon): the name,
/// and how many bytes it takes with its last colon and with what Slack puts behind it for a skin tone.
pub(crate) fn emoji_name(rest: &str) -> Option<(&str, usize)> {
    let end = rest.find(|character: char| {
        !(character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '+' | '\''))
    })?;
    let name = rest.get(..end).filter(|name| !name.is_empty())?;
    let behind = rest.get(end..)?.strip_prefix(':')?;
    let mut taken = end + 1;
    if let Some(tone) = behind.strip_prefix(":skin-tone-")
        && let Some(digit) = tone.bytes().next()
        && digit.is_ascii_digit()
        && tone.as_bytes().get(1) == Some(&b':')
    {
        taken += ":skin-tone-".len() + 2;
    }
    Some((name, taken))
}

/// How this server writes the emoji that Slack and Mattermost call `name`.
pub(crate) fn emoji(name: &str) -> String {
    let here = spindle_emoji::code_for_short_name(name).and_then(spindle_emoji::canonical_name);
    format!(":{}:", here.unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_end_between_words() {
        assert_eq!(beginning("a  short\none\u{7}", 60), "a short one");
        assert_eq!(beginning("one two three four", 12), "one two…");
        assert_eq!(
            beginning(&"x".repeat(70), 60),
            format!("{}…", "x".repeat(59))
        );
        assert_eq!(beginning("well, then, so it is", 12), "well, then…");
    }

    #[test]
    fn links_end_where_they_should() {
        assert_eq!(
            link("a [b]\nc", "https://x.org/(1) 2"),
            "[a (b) c](https://x.org/%281%29%202)"
        );
        assert_eq!(link("https://x.org", "https://x.org"), "https://x.org");
        assert_eq!(link("", "https://x.org"), "https://x.org");
        assert_eq!(fenced("", "a\n```\nb\n"), "````\na\n```\nb\n````");
    }

    #[test]
    fn emoji_have_the_names_of_this_server() {
        assert_eq!(emoji_name("smile: x"), Some(("smile", 6)));
        assert_eq!(emoji_name("+1::skin-tone-3: x"), Some(("+1", 16)));
        assert_eq!(emoji_name(" x: y"), None);
        assert_eq!(emoji_name("30"), None);
        assert_eq!(emoji("thumbsup"), ":+1:");
        assert_eq!(emoji("party_parrot"), ":party_parrot:");
    }
}
