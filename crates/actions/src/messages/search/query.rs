//! What a person looks for: words, beginnings of words and phrases in quotes.
//!
//! All must be in a message, its topic included, in any order; the words of a phrase next to
//! each other. The last word is also a beginning, since it may not be typed to its end, and so is
//! each word with a star (`deplo*`). Everything else that is typed is text: it reaches the index
//! inside of quotes, so that nothing of it can be read as the index's own language.

use super::highlight::{escape, highlight};
use super::phrase::Phrase;
use crate::ActionError;
use spindle_domain::errors::ClientError;

/// Most words and phrases of one search; each is one more list that is walked.
const MAX_PHRASES: usize = 50;

/// Most words that the beginnings of one search are replaced by; finding each takes a tenth of a
/// millisecond.
const MAX_ENDINGS: usize = 64;

/// A search, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SearchQuery {
    phrases: Vec<Phrase>,
}

impl SearchQuery {
    /// Reads the operand of `search`.
    ///
    /// # Errors
    /// [`ClientError::BadNarrow`] when it asks for too much.
    pub(crate) fn parse(text: &str) -> Result<Self, ActionError> {
        let (mut query, ends_in_word) = Self::parse_words(text)?;
        if let Some(last) = query.phrases.last_mut().filter(|_| ends_in_word) {
            last.open();
        }
        Ok(query)
    }

    /// Reads the operand of `search` when it says what is not looked for. The last word is as it
    /// stands: it leaves out no word that the client has not typed.
    ///
    /// # Errors
    /// [`ClientError::BadNarrow`] when it asks for too much.
    pub(crate) fn parse_negated(text: &str) -> Result<Self, ActionError> {
        Self::parse_words(text).map(|(query, _)| query)
    }

    /// Everything but the rule for the last word; whether the last phrase is one outside of quotes.
    fn parse_words(text: &str) -> Result<(Self, bool), ActionError> {
        let mut phrases = Vec::new();
        let mut ends_in_word = false;
        let parts: Vec<&str> = text
            .split(['"', '\u{201c}', '\u{201d}', '\u{201e}'])
            .collect();
        let last = parts.len().saturating_sub(1);
        for (index, part) in parts.into_iter().enumerate() {
            // Every other part is inside of quotes, if they were closed.
            let is_quoted = index % 2 == 1 && index < last;
            let before = phrases.len();
            if is_quoted {
                phrases.extend(Phrase::new(part));
            } else {
                phrases.extend(part.split_whitespace().filter_map(word));
            }
            if phrases.len() > before {
                ends_in_word = !is_quoted;
            }
        }
        if phrases.len() > MAX_PHRASES {
            let text = format!("a search has at most {MAX_PHRASES} words");
            return Err(ClientError::BadNarrow { desc: text }.into());
        }
        Ok((Self { phrases }, ends_in_word))
    }

    /// Replaces beginnings by the words that begin so, as `list` knows them: it is asked for at most
    /// so many. Where there are too many, the index looks for the beginning itself.
    ///
    /// # Errors
    /// Those of `list`.
    pub(crate) fn find_endings<E>(
        &mut self,
        list: impl Fn(&str, usize) -> Result<Vec<String>, E>,
    ) -> Result<(), E> {
        let mut left = MAX_ENDINGS;
        for phrase in &mut self.phrases {
            let Some(beginning) = phrase.beginning().filter(|_| left > 0) else {
                continue;
            };
            let found = list(beginning, left + 1)?;
            if found.len() <= left {
                left -= found.len();
                phrase.end_in(found);
            } else {
                left = 0;
            }
        }
        Ok(())
    }

    /// The expression that finds it; none when there was no word in it, which is nowhere.
    pub(crate) fn expression(&self) -> Option<String> {
        if self.phrases.is_empty() {
            return None;
        }
        let phrases: Vec<String> = self.phrases.iter().map(Phrase::expression).collect();
        Some(format!("({{topic content}} : ({}))", phrases.join(" AND ")))
    }

    /// All that this and another search ask for.
    pub(crate) fn and(&mut self, mut other: Self) {
        self.phrases.append(&mut other.phrases);
    }

    /// HTML with the hits marked (docs/protocol/narrow.md#matches_narrow, `match_content`).
    pub(crate) fn mark_html(&self, html: &str) -> String {
        highlight(html, &self.phrases)
    }

    /// A plain text as HTML with the hits marked (`match_subject`).
    pub(crate) fn mark_text(&self, text: &str) -> String {
        highlight(&escape(text), &self.phrases)
    }
}

/// What stands between spaces.
fn word(text: &str) -> Option<Phrase> {
    let mut phrase = Phrase::new(text)?;
    if text.ends_with('*') {
        phrase.open();
    }
    Some(phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str) -> Option<String> {
        SearchQuery::parse(text).unwrap().expression()
    }

    #[test]
    fn what_is_typed_cannot_leave_its_quotes() {
        let table = [
            ("one two", r#"({topic content} : ("one" AND "two" *))"#),
            ("two 🎉 !", r#"({topic content} : ("two" *))"#),
            (
                r#"one "two three""#,
                r#"({topic content} : ("one" AND "two three"))"#,
            ),
            (r#"one "!""#, r#"({topic content} : ("one" *))"#),
            (
                r#""one two" x"#,
                r#"({topic content} : ("one two" AND "x"))"#,
            ),
            (
                r#"open "one two"#,
                r#"({topic content} : ("open" AND "one" AND "two" *))"#,
            ),
            (
                "deplo* de*",
                r#"({topic content} : ("deplo " * AND "de "))"#,
            ),
            ("東京", "({topic content} : (\" 東  京 \"))"),
            (
                "a-b NEAR(x)",
                r#"({topic content} : ("a b" AND "NEAR x "))"#,
            ),
            ("scope:c1", r#"({topic content} : ("scope c1"))"#),
            ("a:scope", r#"({topic content} : ("a scope" *))"#),
        ];
        for (text, expected) in table {
            assert_eq!(expression(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["!!!", r#""""#, "* \" ^ :", "🎉"] {
            assert_eq!(expression(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_left_out_is_as_it_stands() {
        for (text, expected) in [
            ("one two", r#"({topic content} : ("one" AND "two"))"#),
            ("deplo*", r#"({topic content} : ("deplo " *))"#),
        ] {
            let query = SearchQuery::parse_negated(text).unwrap();
            assert_eq!(query.expression().as_deref(), Some(expected), "{text}");
        }
    }

    fn with_endings(text: &str, number: usize) -> String {
        let mut query = SearchQuery::parse(text).unwrap();
        let list = |beginning: &str, most: usize| {
            let words = (0..number).map(|n| format!("{beginning}{n}"));
            Ok::<_, ActionError>(words.take(most).collect())
        };
        query.find_endings(list).unwrap();
        query.expression().unwrap()
    }

    #[test]
    fn beginnings_are_replaced_by_words_unless_there_are_too_many() {
        assert_eq!(
            with_endings("one two", 2),
            r#"({topic content} : ("one" AND ("two" OR "two0" OR "two1")))"#
        );
        assert_eq!(
            with_endings("a-two", 1),
            r#"({topic content} : (("a two" OR "a two0")))"#
        );
        assert_eq!(with_endings("two", 0), r#"({topic content} : (("two")))"#);
        let many = with_endings("one* two", 40);
        assert!(many.ends_with(r#" AND "two" *))"#), "{many}");
        assert!(many.contains(r#"OR "one39") AND"#), "{many}");
        let too_many = with_endings("two", MAX_ENDINGS + 1);
        assert_eq!(too_many, r#"({topic content} : ("two" *))"#);
    }

    #[test]
    fn a_search_has_bounds() {
        assert!(SearchQuery::parse(&"x ".repeat(50)).is_ok());
        assert!(matches!(
            SearchQuery::parse(&"x ".repeat(51)),
            Err(ActionError::Client(ClientError::BadNarrow { .. }))
        ));
    }
}
