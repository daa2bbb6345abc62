//! Normalization of a content before parsing.
//!
//! Owns line ends, tabs and the removal of the control characters that are reserved for the inline parser (see
//! `inline`). Must not interpret markup.
//! (docs/protocol/markdown.md#output)

use std::borrow::Cow;

const TAB_WIDTH: usize = 4;

/// Converts every line end to LF, expands tabs to multiples of four columns, removes U+0002, U+0003 and NUL.
pub(crate) fn normalize(content: &str) -> Cow<'_, str> {
    let is_clean = |byte: u8| !matches!(byte, b'\r' | b'\t' | 0 | 2 | 3);
    if content.bytes().all(is_clean) {
        return Cow::Borrowed(content);
    }
    let mut normalized = String::with_capacity(content.len() + 16);
    let mut column = 0;
    let mut characters = content.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\0' | '\u{2}' | '\u{3}' => {}
            '\t' => {
                let width = TAB_WIDTH - column % TAB_WIDTH;
                normalized.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            '\n' | '\r' => {
                if character == '\r' {
                    characters.next_if_eq(&'\n');
                }
                normalized.push('\n');
                column = 0;
            }
            _ => {
                normalized.push(character);
                column += 1;
            }
        }
    }
    Cow::Owned(normalized)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tabs_and_controls() {
        assert_eq!(normalize("a\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(normalize("a\tb\t\tc\n\td"), "a   b       c\n    d");
        assert_eq!(normalize("a\u{2}b\u{3}c\0"), "abc");
        assert!(matches!(normalize("plain"), Cow::Borrowed(_)));
    }
}
