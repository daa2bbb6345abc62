//! Classification of single lines: list items, quotes, headings, rules.
//!
//! Each check takes time linear in the line. Must not depend on other lines, except for the rule about lists
//! that directly follow a paragraph.
//! (docs/protocol/markdown.md#blocks)

use crate::steps;

/// An item marker: `- `, `* `, `+ ` or `12. `.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item<'t> {
    /// Spaces before the marker.
    pub(super) indent: usize,
    /// The number of an ordered item.
    pub(super) number: Option<&'t str>,
    pub(super) text: &'t str,
}

/// The number of spaces a line begins with.
pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Removes up to `width` leading spaces.
pub(super) fn dedent(line: &str, width: usize) -> &str {
    line.get(indent_of(line).min(width)..).unwrap_or_default()
}

pub(super) fn item(line: &str) -> Option<Item<'_>> {
    steps::spend(line.len());
    let indent = indent_of(line);
    let body = line.trim_start_matches(' ');
    let (number, rest) = match body.strip_prefix(['-', '*', '+']) {
        Some(rest) => (None, rest),
        None => {
            let rest = body.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = body.get(..body.len() - rest.len())?;
            let rest = rest.strip_prefix('.').filter(|_| !number.is_empty())?;
            (Some(number), rest)
        }
    };
    rest.starts_with(' ').then(|| Item {
        indent,
        number,
        text: rest.trim_start_matches(' '),
    })
}

/// Whether `line` begins a list although it directly follows `previous` without a blank line.
pub(super) fn begins_list_after(previous: &str, line: &str) -> bool {
    if previous.trim().is_empty() {
        return false;
    }
    let Some(item_here) = item(line) else {
        return false;
    };
    match item(previous) {
        None => true,
        Some(before) => {
            before.indent == item_here.indent
                && before.number.is_some() != item_here.number.is_some()
        }
    }
}

/// Level and text of a heading.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    steps::spend(line.len());
    let after = line.trim_start_matches('#');
    let level = line.len() - after.len();
    let is_heading = (1..=6).contains(&level) && after.starts_with(char::is_whitespace);
    is_heading.then(|| (level, after.trim().trim_end_matches('#').trim_end()))
}

/// Three or more of one of `-`, `*`, `_`, with optional spaces.
pub(super) fn is_rule(line: &str) -> bool {
    steps::spend(line.len());
    if indent_of(line) > 3 {
        return false;
    }
    let mut signs = line.chars().filter(|c| *c != ' ');
    let Some(sign) = signs.next().filter(|c| matches!(c, '-' | '*' | '_')) else {
        return false;
    };
    let mut count = 1;
    for other in signs {
        if other != sign {
            return false;
        }
        count += 1;
    }
    count >= 3
}

/// The text behind a quote mark.
pub(super) fn quoted(line: &str) -> Option<&str> {
    steps::spend(line.len());
    let indent = indent_of(line);
    let body = line
        .get(indent..)
        .filter(|_| indent <= 3)?
        .strip_prefix('>')?;
    Some(body.strip_prefix(' ').unwrap_or(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items() {
        let found = item(" 12.  x").unwrap();
        assert_eq!(
            (found.indent, found.number, found.text),
            (1, Some("12"), "x")
        );
        assert!(item("- x").is_some_and(|found| found.number.is_none()));
        for text in ["-x", "3) x", ". x", "1.x", "", "-"] {
            assert_eq!(item(text), None, "{text:?}");
        }
    }

    #[test]
    fn headings() {
        assert_eq!(heading("## two ##"), Some((2, "two")));
        assert_eq!(heading("# a # b"), Some((1, "a # b")));
        assert_eq!(heading("####### seven"), None);
        assert_eq!(heading("#none"), None);
        assert_eq!(heading(" # indented"), None);
    }

    #[test]
    fn rules() {
        for text in ["---", "* * *", "_ __", "   ***  "] {
            assert!(is_rule(text), "{text:?}");
        }
        for text in ["--", "-*-", "    ---", "--- a", "===", ""] {
            assert!(!is_rule(text), "{text:?}");
        }
    }

    #[test]
    fn lists_hang_on_text_and_on_other_lists() {
        assert!(begins_list_after("para", "- x"));
        assert!(begins_list_after("- x", "1. y"));
        assert!(!begins_list_after("- x", "- y"));
        assert!(!begins_list_after("1. x", "  - y"));
        assert!(!begins_list_after("", "- y"));
        assert!(!begins_list_after("para", "text"));
    }
}
