//! Alert words: words whose users want to know when a message has them.
//!
//! Owns matching many words at once and what may stand around one. Code fences do not count;
//! quotes and code spans do. (spec: markup-export-facts 1.13)

use aho_corasick::{AhoCorasick, BuildError};

use crate::fence::{self, FenceKind, Segment};
use crate::preprocess;

/// Why words cannot be searched for.
#[derive(Debug, thiserror::Error)]
pub enum AlertWordsError {
    /// Together they are too large.
    #[error("the alert words are too many: {0}")]
    TooMany(#[from] BuildError),
}

/// Words prepared for searching, in time linear in the content whatever their number.
#[derive(Clone, Debug)]
pub struct AlertWords {
    automaton: AhoCorasick,
    count: usize,
}

impl AlertWords {
    /// Prepares words; their case does not matter.
    ///
    /// # Errors
    /// The automaton would not fit into memory.
    pub fn new<W: AsRef<str>>(words: &[W]) -> Result<Self, AlertWordsError> {
        let folded = words.iter().map(|word| word.as_ref().to_lowercase());
        Ok(Self {
            automaton: AhoCorasick::new(folded)?,
            count: words.len(),
        })
    }

    /// Positions, in the list given to [`AlertWords::new`], of the words that `content` has.
    pub fn matching(&self, content: &str) -> Vec<usize> {
        let mut is_found = vec![false; self.count];
        if self.count == 0 {
            return Vec::new();
        }
        let text = searched_text(&preprocess::normalize(content));
        for found in self.automaton.find_overlapping_iter(&text) {
            let before = text.get(..found.start()).unwrap_or_default();
            let after = text.get(found.end()..).unwrap_or_default();
            let stands_free = !found.is_empty()
                && before.chars().next_back().is_none_or(may_precede)
                && after.chars().next().is_none_or(may_follow);
            if let Some(slot) = is_found.get_mut(found.pattern().as_usize()) {
                *slot |= stands_free;
            }
        }
        let indexed = is_found.into_iter().enumerate();
        indexed
            .filter_map(|(index, found)| found.then_some(index))
            .collect()
    }
}

/// The content in lower case without code fences.
fn searched_text(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    add_lines(&fence::divide(content.split('\n')), &mut text);
    text
}

fn add_lines(segments: &[Segment<'_>], text: &mut String) {
    for segment in segments {
        match segment {
            Segment::Line(line) => {
                text.push_str(&line.to_lowercase());
                text.push('\n');
            }
            Segment::Fence(fence) => match &fence.kind {
                FenceKind::Code { .. } | FenceKind::Math => {}
                FenceKind::Quote => add_lines(&fence.contents, text),
                FenceKind::Spoiler { header } => {
                    text.push_str(&header.to_lowercase());
                    text.push('\n');
                    add_lines(&fence.contents, text);
                }
            },
        }
    }
}

fn may_precede(character: char) -> bool {
    matches!(
        character,
        ' ' | '\n' | '(' | '"' | '.' | ',' | '\'' | ';' | '[' | '*' | '>' | '`'
    )
}

fn may_follow(character: char) -> bool {
    matches!(
        character,
        ' ' | '\n' | ')' | '?' | ':' | '.' | ',' | '\'' | ';' | ']' | '!' | '*' | '`'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str], content: &str) -> Vec<usize> {
        AlertWords::new(words).unwrap().matching(content)
    }

    #[test]
    fn words_stand_free_and_case_does_not_matter() {
        assert_eq!(found(&["deploy", "Ünder"], "Deploy, (ünder)!"), [0, 1]);
        assert_eq!(
            found(&["deploy"], "redeploy deploys \"deploy\""),
            [0_usize; 0]
        );
        assert_eq!(found(&["deploy"], "\"deploy is"), [0]);
        assert_eq!(found(&["on fire", "fire"], "it is on fire"), [0, 1]);
        assert!(found(&[], "x").is_empty());
        assert!(found(&[""], "x").is_empty());
    }

    #[test]
    fn code_fences_do_not_count() {
        assert!(found(&["x"], "```\nx\n```").is_empty());
        assert_eq!(found(&["x"], "```quote\nx\n```"), [0]);
        assert_eq!(found(&["x"], "`x`"), [0]);
        assert_eq!(found(&["x"], "> x"), [0]);
    }
}
