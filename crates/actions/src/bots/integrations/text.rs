//! Escapes texts of other programs, so that Markdown does not change their meaning.

use serde_json::Value;

/// The text at a path of keys.
pub(super) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a str> {
    path.iter()
        .try_fold(value, |value, key| value.get(*key))?
        .as_str()
}

/// Without what would begin a mention, a link or another line.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '@' | '#' | '*' | '`' | '[' | ']' | '<' | '>' | '_' => ' ',
            letter if letter.is_control() => ' ',
            letter => letter,
        })
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// A link, or only its text when the address is no web address.
pub(super) fn link(text: &str, url: Option<&str>) -> String {
    let text = plain(text);
    let is_safe = |url: &&str| {
        (url.starts_with("https://") || url.starts_with("http://"))
            && !url.contains(['(', ')', ' ', '\n', '<', '>'])
    };
    match url.filter(is_safe) {
        Some(url) => format!("[{text}]({url})"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_mention_no_user() {
        assert_eq!(plain("@**all** [x]\n`y`"), "all x y");
        assert_eq!(link("a", Some("https://x.org/1")), "[a](https://x.org/1)");
        assert_eq!(link("a", Some("javascript:1")), "a");
        assert_eq!(link("a", Some("https://x) @**all**")), "a");
        assert_eq!(
            at(&serde_json::json!({"a": {"b": "c"}}), &["a", "b"]),
            Some("c")
        );
    }
}
