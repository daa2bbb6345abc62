//! What an import keeps in memory, and its notes; both are bounded, since archives are untrusted.

use std::collections::BTreeMap;

use spindle_domain::text::{first_chars, is_longer_than};

use super::Import;
use super::row::{ImportError, printable};

/// Bytes of people, channels, recipients and other rows that later rows refer to.
pub(super) const MOST_KEPT: usize = 768 << 20;
/// Overhead of a map entry in bytes, without its texts.
const ENTRY: usize = 64;
/// Maximum number of distinct notes, and of characters in one.
const MOST_NOTES: usize = 1_000;
const LONGEST_NOTE: usize = 200;
const OTHER_NOTES: &str = "(more was left out or changed than can be listed)";

/// Counts a note `times` times.
pub(super) fn note(notes: &mut BTreeMap<String, u64>, text: &str, times: u64) {
    let text = &*printable(text);
    let text = if is_longer_than(text, LONGEST_NOTE) {
        format!("{}…", first_chars(text, LONGEST_NOTE))
    } else {
        text.to_owned()
    };
    let text = match notes.len() >= MOST_NOTES && !notes.contains_key(&text) {
        true => OTHER_NOTES.to_owned(),
        false => text,
    };
    let count = notes.entry(text).or_default();
    *count = count.saturating_add(times);
}

impl Import<'_> {
    /// Counts an entry with texts of `bytes` that is to be kept.
    ///
    /// # Errors
    /// Together they take more memory than an import may.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<(), ImportError> {
        self.kept = self.kept.saturating_add(bytes).saturating_add(ENTRY);
        if self.kept <= self.most_kept {
            return Ok(());
        }
        Err(ImportError::Refused(format!(
            "the people, channels, conversations and files of the archive take more than {} MiB of memory",
            self.most_kept >> 20
        )))
    }

    /// Cuts a text of the archive to `limit` characters and notes the cut.
    pub(super) fn cut<'t>(&mut self, what: &str, text: &'t str, limit: usize) -> &'t str {
        if !is_longer_than(text, limit) {
            return text;
        }
        self.note(format!("{what} of more than {limit} characters were cut"));
        first_chars(text, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_of_plain_characters() {
        let mut notes = BTreeMap::new();
        note(&mut notes, "column x.a\nb\u{1b}[2J", 1);
        assert_eq!(notes.keys().next().unwrap(), r"column x.a\nb\u{1b}[2J");
    }

    #[test]
    fn notes_are_bounded() {
        let mut notes = BTreeMap::new();
        for number in 0..5_000 {
            note(&mut notes, &format!("{number} {}", "x".repeat(10_000)), 1);
        }
        note(&mut notes, "0", u64::MAX);
        assert_eq!(notes.len(), MOST_NOTES + 1);
        assert!(
            notes
                .keys()
                .all(|text| text.chars().count() <= LONGEST_NOTE + 1)
        );
        assert_eq!(notes[OTHER_NOTES], u64::MAX);
    }
}
