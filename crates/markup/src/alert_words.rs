//! Alert words: finds in a message the words for which users want notifications.
//!
//! Owns the word boundaries and the matching; in scripts without spaces a word may be anywhere. Code fences are
//! ignored; quotes and code spans are not. The caller has the sorted list of words and looks up single words in it, so
//! that the work grows with the content and not with the list. (docs/protocol/markdown.md#alert-words)

use std::collections::{BTreeMap, BTreeSet};

use crate::fence::{self, FenceKind, Segment};
use crate::preprocess;
use crate::scripts::{is_hangul, is_unspaced, is_wide_punctuation};

/// Longest word that is found, in code points of its lower case: 100 code points as written, each of which
/// becomes at most two.
const LONGEST: usize = 200;

/// A content prepared for the search.
#[derive(Clone, Debug)]
pub struct AlertText {
    /// In lower case, without code fences.
    text: String,
}

/// A position where a word may begin, with its candidate ends.
struct Candidates<'t> {
    rest: &'t str,
    /// Positions where a word may end, ascending; never empty. They are small numbers, since text without spaces has
    /// many positions.
    ends: Vec<u16>,
}

impl<'t> Candidates<'t> {
    fn new(rest: &'t str) -> Option<Self> {
        let ends = ends(rest).take_while(|(number, _)| *number <= LONGEST);
        let ends: Vec<u16> = ends.filter_map(|(_, end)| end.try_into().ok()).collect();
        (!ends.is_empty()).then_some(Self { rest, ends })
    }

    /// The longest remaining candidate.
    fn candidate(&self) -> &'t str {
        let end = self.ends.last().copied().unwrap_or_default();
        self.rest.get(..usize::from(end)).unwrap_or_default()
    }

    /// Drops candidates of more than `longest` bytes; false when none are left.
    fn shorten(&mut self, longest: usize) -> bool {
        self.ends.truncate(
            self.ends
                .partition_point(|end| usize::from(*end) <= longest),
        );
        !self.ends.is_empty()
    }
}

impl AlertText {
    /// Prepares a content.
    #[must_use]
    pub fn new(content: &str) -> Self {
        let mut text = String::with_capacity(content.len());
        let normalized = preprocess::normalize(content);
        add_lines(&fence::divide(normalized.split('\n')), &mut text);
        Self { text }
    }

    /// The possible beginnings of words in this content, up to the first position where a word may end. The next
    /// character of such a word, if any, is less than `a`, or not less than the one of [`continuation`].
    #[must_use]
    pub fn heads(&self) -> BTreeSet<&str> {
        self.starts().map(head).collect()
    }

    /// The words, in lower case, that occur in the content. Only words with one of `heads` are searched
    /// for. `nearest` returns the greatest word that is not greater than a text, by bytes.
    ///
    /// # Errors
    /// Those of `nearest`.
    pub fn matching<E>(
        &self,
        heads: &BTreeSet<&str>,
        mut nearest: impl FnMut(&[&str]) -> Result<Vec<Option<String>>, E>,
    ) -> Result<BTreeSet<String>, E> {
        let positions: BTreeSet<&str> = self
            .starts()
            .filter(|rest| heads.contains(head(rest)))
            .map(|rest| first(rest, LONGEST.saturating_add(1)))
            .collect();
        let mut positions: Vec<Candidates<'_>> =
            positions.into_iter().filter_map(Candidates::new).collect();
        let mut words = BTreeSet::new();
        while !positions.is_empty() {
            let candidates: BTreeSet<&str> = positions.iter().map(Candidates::candidate).collect();
            let candidates: Vec<&str> = candidates.into_iter().collect();
            let found = nearest(&candidates)?;
            let found: BTreeMap<&str, Option<String>> = candidates.into_iter().zip(found).collect();
            positions.retain_mut(|place| {
                let candidate = place.candidate();
                let Some(Some(word)) = found.get(candidate) else {
                    return false;
                };
                if word == candidate {
                    words.insert(word.clone());
                    return place.shorten(candidate.len().saturating_sub(1));
                }
                // If the candidate begins with a word, the greatest word not above the candidate
                // begins with it too.
                place.shorten(common_prefix(word, candidate))
            });
        }
        Ok(words)
    }

    /// The text from each position where a word may begin.
    fn starts(&self) -> impl Iterator<Item = &str> {
        let mut before = None;
        self.text
            .char_indices()
            .filter_map(move |(start, character)| {
                let may_begin = before.is_none_or(|before| may_begin(before, character));
                before = Some(character);
                self.text.get(start..).filter(|_| may_begin)
            })
    }
}

/// The positions where a word at the start of a text may end, with the number of characters before each.
fn ends(rest: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut last = None;
    let characters = rest.char_indices().map(|(at, next)| (at, Some(next)));
    let all = characters.chain(std::iter::once((rest.len(), None)));
    all.enumerate().filter_map(move |(number, (end, next))| {
        let last = std::mem::replace(&mut last, next)?;
        let is_end = next.is_none_or(|next| may_end(last, next));
        is_end.then_some((number, end))
    })
}

/// Ends also before a sign that only precedes words: heads must not grow with a row of them.
fn head(rest: &str) -> &str {
    let mut last = None;
    let end = rest.find(|next| {
        let last = last.replace(next);
        may_precede(next) || may_follow(next) || last.is_some_and(|last| may_end(last, next))
    });
    end.and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// The least character, besides those less than `a`, with which a word may go on after a head.
#[must_use]
pub fn continuation(head: &str) -> &'static str {
    if head.is_empty() {
        "\u{10ffff}"
    } else if head.ends_with(is_unspaced) {
        "a"
    } else {
        // The first letter of Thai, the first of the scripts without spaces.
        "\u{e00}"
    }
}

fn first(text: &str, characters: usize) -> &str {
    let end = text.char_indices().nth(characters).map(|(end, _)| end);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Length of the common prefix of two texts, in bytes.
fn common_prefix(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(a, b)| a == b).count()
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

/// Whether a word may begin between two characters: where space or punctuation is before, and around letters of
/// scripts without spaces. Korean words begin after a space, too, since only their ends run into particles.
fn may_begin(before: char, first: char) -> bool {
    may_precede(before)
        || is_wide_punctuation(before)
        || (is_unspaced(before) || is_unspaced(first)) && !(is_hangul(before) && is_hangul(first))
}

/// Whether a word may end between two characters.
fn may_end(last: char, next: char) -> bool {
    may_follow(next) || is_wide_punctuation(next) || is_unspaced(last) || is_unspaced(next)
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
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// The words found, and the number of lookups.
    fn look(words: &BTreeSet<String>, content: &str) -> (BTreeSet<String>, usize) {
        let mut asked = 0;
        let text = AlertText::new(content);
        let is_begun = |head: &&str| {
            let has = |from: String, end: String| words.range(from..end).next().is_some();
            has((*head).to_owned(), format!("{head}a"))
                || has(
                    format!("{head}{}", continuation(head)),
                    format!("{head}\u{10ffff}"),
                )
        };
        let heads = text.heads().into_iter().filter(is_begun).collect();
        let found = text.matching(&heads, |candidates| {
            asked += candidates.len();
            let nearest = |text: &&str| words.range(..=(*text).to_owned()).next_back().cloned();
            Ok::<_, Infallible>(candidates.iter().map(nearest).collect())
        });
        (found.unwrap_or_else(|never| match never {}), asked)
    }

    fn list(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| word.to_lowercase()).collect()
    }

    fn found(words: &[&str], content: &str) -> Vec<String> {
        look(&list(words), content).0.into_iter().collect()
    }

    /// Tries every word at every position.
    fn by_trying(words: &BTreeSet<String>, content: &str) -> BTreeSet<String> {
        let text = AlertText::new(content).text;
        let stands = |word: &&String| {
            text.char_indices().any(|(start, _)| {
                let (before, rest) = text.split_at(start);
                rest.strip_prefix(word.as_str()).is_some_and(|after| {
                    let first = word.chars().next().unwrap();
                    let last = word.chars().next_back().unwrap();
                    before
                        .chars()
                        .next_back()
                        .is_none_or(|before| may_begin(before, first))
                        && after.chars().next().is_none_or(|next| may_end(last, next))
                })
            })
        };
        words.iter().filter(stands).cloned().collect()
    }

    #[test]
    fn words_stand_free_and_case_does_not_matter() {
        assert_eq!(
            found(&["deploy", "Ünder"], "Deploy, (ünder)!"),
            ["deploy", "ünder"]
        );
        assert!(found(&["deploy"], "redeploy deploys \"deploy\"").is_empty());
        assert_eq!(found(&["deploy"], "\"deploy is"), ["deploy"]);
        assert_eq!(
            found(&["on fire", "fire"], "it is on fire"),
            ["fire", "on fire"]
        );
        assert_eq!(found(&["a", "a b", "a b c", "a c"], "a b d"), ["a", "a b"]);
        assert!(found(&[], "x").is_empty());
    }

    #[test]
    fn words_in_text_without_spaces() {
        for (word, content) in [
            ("番茄", "我喜欢番茄炒蛋"),
            ("番茄", "番茄"),
            ("番茄", "我喜欢（番茄）。"),
            ("トマト", "今日はトマトを食べた"),
            ("rust", "使用Rust编程"),
            ("rust", "「rust」"),
            ("rust 编程", "学习rust 编程吧"),
            ("rust编程", "学习rust编程吧"),
            ("番abc", "x番abc茄"),
            ("มะเขือเทศ", "ฉันชอบมะเขือเทศมาก"),
            ("토마토", "토마토는 맛있다"),
            ("토마토", "나는 토마토를"),
            ("토마토", "“토마토”"),
            ("rust", "rust를 쓴다"),
            ("word", "（word）"),
        ] {
            assert_eq!(found(&[word], content), [word], "{content}");
        }
        for (word, content) in [
            ("rust", "使用Rusty编程"),
            ("토마토", "방울토마토"),
            ("番茄", "番番"),
            ("a番", "ba番"),
        ] {
            assert!(found(&[word], content).is_empty(), "{content}");
        }
    }

    #[test]
    fn code_fences_do_not_count() {
        assert!(found(&["x"], "```\nx\n```").is_empty());
        assert_eq!(found(&["x"], "```quote\nx\n```"), ["x"]);
        assert_eq!(found(&["x"], "`x`"), ["x"]);
        assert_eq!(found(&["x"], "> x"), ["x"]);
    }

    #[test]
    fn the_longest_word_is_found() {
        let word = "İ".repeat(100);
        assert_eq!(
            found(&[&word], &format!("- {word}!")),
            [word.to_lowercase()]
        );
        assert_eq!(found(&[&word], &word), [word.to_lowercase()]);
    }

    /// The work must not grow with the number of words.
    #[test]
    fn many_words_that_begin_alike_cost_no_more_than_few() {
        let words: BTreeSet<String> = (0..20_000).map(|n| format!("the {n:05} word")).collect();
        let content = "the cat and the 00777 word and the 1 dog ".repeat(40);
        let (found, asked) = look(&words, &content);
        assert_eq!(found, list(&["the 00777 word"]));
        assert!(asked < 400, "{asked}");
    }

    proptest! {
        #[test]
        fn the_same_words_as_by_trying_all(
            words in proptest::collection::btree_set("[abA .*!:(é番한。]{0,3}[abcé1ß!茄국]", 0..30),
            content in "[abcA1 .*!:(\nßé`~>İ番茄한국。”]{0,60}",
        ) {
            let words: BTreeSet<String> = words.iter().map(|word| word.trim().to_lowercase())
                .filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(look(&words, &content).0, by_trying(&words, &content));
        }
    }
}
