//! Words as the full-text index has them: runs of letters, digits and their marks, in lower case,
//! Latin letters without diacritics. In scripts written without spaces every character is a word.
//! Independent of any index: each database has its own.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether a character is part of words at all.
#[must_use]
pub fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character) || is_private(character)
}

/// Whether a character is a word of its own. The same ranges are in the migration.
#[must_use]
pub const fn stands_alone(character: char) -> bool {
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

/// A word and its position, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in the form in which words are compared.
    pub folded: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Collects words from characters with their positions.
#[derive(Debug, Default)]
pub struct Words {
    found: Vec<Word>,
    open: Option<Word>,
}

impl Words {
    /// The next character, from `start` to `end`.
    pub fn push(&mut self, character: char, start: usize, end: usize) {
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
    pub fn end_word(&mut self) {
        let word = self.open.take().filter(|word| !word.folded.is_empty());
        self.found.extend(word);
    }

    /// All words that were found.
    #[must_use]
    pub fn finish(mut self) -> Vec<Word> {
        self.end_word();
        self.found
    }
}

/// The words of a plain text.
#[must_use]
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Words::default();
    for (start, character) in text.char_indices() {
        words.push(character, start, start + character.len_utf8());
    }
    words.finish()
}

/// Longest word that every index holds unchanged, in bytes: PostgreSQL takes words of less than 2
/// KiB.
pub const LONGEST_WHOLE: usize = 1000;

/// The beginning of a word, in at most [`LONGEST_WHOLE`] bytes.
#[must_use]
pub fn head(word: &str) -> &str {
    let end = word.floor_char_boundary(LONGEST_WHOLE);
    word.get(..end).unwrap_or_default()
}

/// A word in few bytes: a long one as its beginning and a digest of the whole.
#[must_use]
pub fn bounded(word: &str) -> Cow<'_, str> {
    if word.len() <= LONGEST_WHOLE {
        return Cow::Borrowed(word);
    }
    // FNV-1a: it has to distinguish words, and nothing is gained by making two with one digest.
    let digest = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    Cow::Owned(format!("{}\u{1}{digest:016x}", head(word)))
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
    #[test]
    fn long_words_stay_distinct_and_short_ones_as_they_are() {
        let short = "\u{e4}".repeat(LONGEST_WHOLE / 2);
        assert_eq!(bounded(&short), short);
        assert_eq!(head(&short), short);
        let long = format!("x{short}");
        let (one, other) = (format!("{long}a"), format!("{long}b"));
        for word in [&long, &one, &other] {
            assert!(bounded(word).len() < 2046);
            assert!(bounded(word).starts_with(head(word)));
            assert!(head(word).len() < LONGEST_WHOLE);
        }
        assert_ne!(bounded(&one), bounded(&other));
        assert_ne!(bounded(&one), bounded(&long));
    }
}
