//! What a person looks for: words, beginnings of words (`deplo*`) and phrases in quotes.
//!
//! All must be in a message, its topic included, in any order; the words of a phrase next to
//! each other. Everything else that is typed is text: it reaches the index inside of quotes,
//! so that nothing of it can be read as the index's own language.

use super::highlight::{escape, highlight};
use super::phrase::Phrase;
use crate::ActionError;

/// Most words and phrases of one search; each is one more list that is walked.
const MAX_PHRASES: usize = 50;

/// A search, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SearchQuery {
    phrases: Vec<Phrase>,
}

impl SearchQuery {
    /// Reads the operand of `search`.
    ///
    /// # Errors
    /// [`ActionError::BadNarrow`] when it asks for too much.
    pub(crate) fn parse(text: &str) -> Result<Self, ActionError> {
        let mut phrases = Vec::new();
        let parts: Vec<&str> = text
            .split(['"', '\u{201c}', '\u{201d}', '\u{201e}'])
            .collect();
        let last = parts.len().saturating_sub(1);
        for (index, part) in parts.into_iter().enumerate() {
            // Every other part is inside of quotes, if they were closed.
            if index % 2 == 1 && index < last {
                phrases.extend(Phrase::new(part, false));
            } else {
                phrases.extend(
                    part.split_whitespace()
                        .filter_map(|word| Phrase::new(word, true)),
                );
            }
        }
        if phrases.len() > MAX_PHRASES {
            let text = format!("a search has at most {MAX_PHRASES} words");
            return Err(ActionError::BadNarrow(text));
        }
        Ok(Self { phrases })
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

    /// HTML with the hits marked (protocol-facts 2.4, `match_content`).
    pub(crate) fn mark_html(&self, html: &str) -> String {
        highlight(html, &self.phrases)
    }

    /// A plain text as HTML with the hits marked (`match_subject`).
    pub(crate) fn mark_text(&self, text: &str) -> String {
        highlight(&escape(text), &self.phrases)
    }
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
            ("one two", r#"({topic content} : ("one" AND "two"))"#),
            (
                r#""one two" x"#,
                r#"({topic content} : ("one two" AND "x"))"#,
            ),
            (
                r#"open "one two"#,
                r#"({topic content} : ("open" AND "one" AND "two"))"#,
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
        ];
        for (text, expected) in table {
            assert_eq!(expression(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["!!!", r#""""#, "* \" ^ :", "🎉"] {
            assert_eq!(expression(text), None, "{text}");
        }
    }

    #[test]
    fn a_search_has_bounds() {
        assert!(SearchQuery::parse(&"x ".repeat(50)).is_ok());
        assert!(matches!(
            SearchQuery::parse(&"x ".repeat(51)),
            Err(ActionError::BadNarrow(_))
        ));
    }
}
