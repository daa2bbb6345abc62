//! Words that must be adjacent: how the index finds them, and whether a text has them. Nothing is read or marked here.

use spindle_domain::words::{Word, bounded, head, is_word_character, stands_alone, words};
use spindle_store::Dialect;

/// Prefixes shorter than this match too many words.
const SHORTEST_BEGINNING: usize = 3;

/// Most words of a phrase in one query to PostgreSQL.
const LONGEST_PART: usize = 256;

/// Adjacent words; often a single one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// Folded.
    pub(super) words: Vec<String>,
    /// The last word may go on.
    pub(super) is_beginning: bool,
    /// In quotes for the index.
    quoted: String,
    /// Words that begin as the last one does, when all of them are known.
    endings: Option<Vec<String>>,
}

impl Phrase {
    /// None when there is no word in `text`.
    pub(super) fn new(text: &str) -> Option<Self> {
        let words: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
        (!words.is_empty()).then(|| Self {
            words,
            is_beginning: false,
            quoted: quoted(text),
            endings: None,
        })
    }

    /// The last word may go on, if it is long enough for that.
    pub(super) fn open(&mut self) {
        let last = self.words.last().map_or(0, |word| word.chars().count());
        self.is_beginning = last >= SHORTEST_BEGINNING;
    }

    /// How the last word begins, when it may go on.
    pub(super) fn beginning(&self) -> Option<&str> {
        let last = self.words.last().filter(|_| self.is_beginning);
        last.map(String::as_str)
    }

    /// All words that match the last one.
    pub(super) fn end_in(&mut self, words: Vec<String>) {
        self.endings = Some(words);
    }

    /// As the index of a database reads it.
    pub(super) fn expression(&self, dialect: Dialect) -> String {
        match dialect {
            Dialect::Sqlite => self.for_sqlite(),
            Dialect::Postgres => self.for_postgres(),
        }
    }

    /// Each word in quotes. PostgreSQL walks a phrase by recursion, so a long one is queried in parts, each of which
    /// repeats the last half of the part before.
    fn for_postgres(&self) -> String {
        let last = self.words.len().saturating_sub(1);
        let words = self.words.iter().enumerate();
        let words: Vec<String> = words
            .map(|(place, word)| match place == last && self.is_beginning {
                true => format!("'{}':*", head(word)),
                false => format!("'{}'", bounded(word)),
            })
            .collect();
        if let [word] = words.as_slice() {
            return word.clone();
        }
        let mut parts = Vec::new();
        let mut rest = words.as_slice();
        while let Some((part, _)) = rest.split_at_checked(LONGEST_PART) {
            parts.push(part);
            rest = rest.get(LONGEST_PART / 2..).unwrap_or_default();
        }
        parts.push(rest);
        let parts: Vec<String> = parts
            .iter()
            .map(|part| format!("({})", part.join(" <-> ")))
            .collect();
        parts.join(" & ")
    }

    /// The index can look for a prefix itself, but collects all matches before it returns the first; it walks words
    /// side by side.
    fn for_sqlite(&self) -> String {
        let quoted = &self.quoted;
        match &self.endings {
            _ if !self.is_beginning => quoted.clone(),
            None => format!("{quoted} *"),
            Some(endings) => {
                let others = endings
                    .iter()
                    .filter(|word| Some(*word) != self.words.last());
                let others: String = others.map(|word| self.or_ending_in(word)).collect();
                format!("({quoted}{others})")
            }
        }
    }

    fn or_ending_in(&self, word: &str) -> String {
        let before = self.words.iter().rev().skip(1).rev();
        let words: Vec<&str> = before.map(String::as_str).chain([word]).collect();
        format!(r#" OR "{}""#, words.join(" "))
    }

    /// Whether the words at `run` are the phrase.
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
