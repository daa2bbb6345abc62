//! Building and reading of text with placeholders.
//!
//! Owns the form of a placeholder: U+0002 and the index of its node as two characters of the Private Use Area,
//! which are neither letters nor spaces, so that no construct matches them.

use std::ops::Range;

use crate::steps;

pub(super) const PLACEHOLDER: char = '\u{2}';
const FIRST_DIGIT: u32 = 0xe000;
const DIGITS: u32 = 0x1900;

/// Builds a copy of a text in which ranges are replaced by placeholders.
pub(super) struct Rewrite<'t> {
    source: &'t str,
    copied: usize,
    output: String,
}

impl<'t> Rewrite<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        Self {
            source,
            copied: 0,
            output: String::new(),
        }
    }

    /// A part of the source.
    pub(super) fn part(&self, range: Range<usize>) -> &'t str {
        steps::spend(range.len());
        slice(self.source, range)
    }

    /// Replaces a range of the source, after all earlier ranges.
    pub(super) fn replace(&mut self, range: Range<usize>, index: usize) {
        self.output
            .push_str(slice(self.source, self.copied..range.start));
        self.output.push(PLACEHOLDER);
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        for digit in [index / DIGITS, index % DIGITS] {
            self.output.extend(char::from_u32(FIRST_DIGIT + digit));
        }
        self.copied = range.end;
    }

    /// The new text; `None` if no range was replaced.
    pub(super) fn finish(mut self) -> Option<String> {
        if self.copied == 0 {
            return None;
        }
        self.output
            .push_str(slice(self.source, self.copied..self.source.len()));
        Some(self.output)
    }
}

/// Reads the index after a placeholder character; the rest is ordinary text.
pub(super) fn split_index(text: &str) -> (usize, &str) {
    let mut characters = text.chars();
    let mut index = 0;
    for _ in 0..2 {
        let digit = characters.next().map_or(0, u32::from);
        index = index * DIGITS + digit.saturating_sub(FIRST_DIGIT);
    }
    (
        usize::try_from(index).unwrap_or(usize::MAX),
        characters.as_str(),
    )
}

/// A part of a text; empty if the range does not fit it.
pub(super) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The text from a position on; empty if there is none.
pub(super) fn tail(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

/// The text before a position; empty if there is none.
pub(super) fn head(text: &str, to: usize) -> &str {
    text.get(..to).unwrap_or_default()
}

/// Whether a character counts as part of a word.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_read_back() {
        for index in [0, 1, 6399, 6400, 1_000_000] {
            let mut rewrite = Rewrite::new("abcd");
            rewrite.replace(1..3, index);
            let text = rewrite.finish().unwrap();
            let (before, after) = text.split_once(PLACEHOLDER).unwrap();
            assert_eq!((before, split_index(after)), ("a", (index, "d")));
        }
        assert_eq!(Rewrite::new("abcd").finish(), None);
    }
}
