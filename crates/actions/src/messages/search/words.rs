//! Words as the full-text index has them: runs of letters, digits and their marks, in lower
//! case, Latin letters without diacritics. In scripts written without spaces every character
//! is a word.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether a character is part of words at all.
pub(super) fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character) || is_private(character)
}

/// Whether a character is a word of its own. The same ranges are in the migration.
pub(super) const fn stands_alone(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3fffd}')
}

const fn is_private(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10fffd}')
}

/// Adds a character to a word in the form in which words are compared.
fn fold_into(word: &mut String, character: char) {
    if matches!(character, '\u{300}'..='\u{36f}') {
        return;
    }
    for lower in character.to_lowercase() {
        match std::iter::once(lower).nfd().next() {
            Some(base) if base.is_ascii() => word.push(base),
            _ => word.push(lower),
        }
    }
}

/// A word and where it stands, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) folded: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Collects words from characters with their places.
#[derive(Debug, Default)]
pub(super) struct Words {
    found: Vec<Word>,
    open: Option<Word>,
}

impl Words {
    /// The next character, from `start` to `end`.
    pub(super) fn push(&mut self, character: char, start: usize, end: usize) {
        if !is_word_character(character) {
            self.end_word();
            return;
        }
        let alone = stands_alone(character);
        if alone {
            self.end_word();
        }
        let word = self.open.get_or_insert_with(|| Word {
            folded: String::new(),
            start,
            end,
        });
        fold_into(&mut word.folded, character);
        word.end = end;
        if alone {
            self.end_word();
        }
    }

    /// What follows belongs to another word.
    pub(super) fn end_word(&mut self) {
        let word = self.open.take().filter(|word| !word.folded.is_empty());
        self.found.extend(word);
    }

    pub(super) fn finish(mut self) -> Vec<Word> {
        self.end_word();
        self.found
    }
}

/// The words of a plain text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words = Words::default();
    for (start, character) in text.char_indices() {
        words.push(character, start, start + character.len_utf8());
    }
    words.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_and_folded_as_the_index_does() {
        let table = [
            (
                "Hello, World-wide_web",
                vec!["hello", "world", "wide", "web"],
            ),
            ("École e\u{301}cole ÜBER", vec!["ecole", "ecole", "uber"]),
            ("ΆΡΑ Йод Straße", vec!["άρα", "йод", "straße"]),
            ("हिन्दी don't 42nd", vec!["हिन्दी", "don", "t", "42nd"]),
            ("東京ab한글", vec!["東", "京", "ab", "한", "글"]),
            ("!!! 🎉", vec![]),
        ];
        for (text, expected) in table {
            let found: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
