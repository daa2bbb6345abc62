//! Words that must stand next to each other: how the index finds them, and whether they stand
//! somewhere. Nothing is read or marked here.

use super::words::{Word, is_word_character, stands_alone, words};

/// Beginnings shorter than this stand for too many words.
const SHORTEST_BEGINNING: usize = 3;

/// Words that stand next to each other; often one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// Folded.
    pub(super) words: Vec<String>,
    /// The last word may go on.
    pub(super) is_beginning: bool,
    /// In quotes for the index.
    quoted: String,
}

impl Phrase {
    /// None when there is no word in `text`.
    pub(super) fn new(text: &str, may_be_beginning: bool) -> Option<Self> {
        let words: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
        let last = words.last()?;
        let is_beginning =
            may_be_beginning && text.ends_with('*') && last.chars().count() >= SHORTEST_BEGINNING;
        Some(Self {
            words,
            is_beginning,
            quoted: quoted(text),
        })
    }

    /// As the index reads it.
    pub(super) fn expression(&self) -> String {
        let star = if self.is_beginning { " *" } else { "" };
        format!("{}{star}", self.quoted)
    }

    /// Whether the phrase is what stands at `run`, as many words as it has.
    pub(super) fn is_at(&self, run: &[Word]) -> bool {
        let last = self.words.len().saturating_sub(1);
        self.words
            .iter()
            .zip(run)
            .enumerate()
            .all(|(index, (wanted, found))| {
                found.folded == *wanted
                    || self.is_beginning && index == last && found.folded.starts_with(wanted)
            })
    }
}

/// The text in the quotes of the index's language, single characters apart as it has them.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        if stands_alone(character) {
            quoted.extend([' ', character, ' ']);
        } else if is_word_character(character) {
            quoted.push(character);
        } else {
            quoted.push(' ');
        }
    }
    quoted.push('"');
    quoted
}
