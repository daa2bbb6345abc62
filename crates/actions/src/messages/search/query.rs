//! What a person looks for: words, beginnings of words and phrases in quotes.
//!
//! All must be in a message, its topic included, in any order; the words of a phrase next to
//! each other. The last word is also a beginning, since it may not be typed to its end, and so is
//! each word with a star (`deplo*`). Everything else that is typed is text: it reaches the index
//! inside of quotes, so that nothing of it can be read as the index's own language.

use super::highlight::highlight;
use super::phrase::Phrase;
use crate::ActionError;
use crate::text::escape_html;
use spindle_domain::errors::ClientError;
use spindle_store::Dialect;

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

    /// Reads the operand of a negated `search`. The last word is taken as a whole word, so that it excludes no word
    /// that the client has not typed.
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

    /// Replaces prefixes by the words that begin with them, of which `list` returns at most the given number. If there
    /// are too many, the index looks for the prefix itself.
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

    /// Whether there was no word in it: it is nowhere.
    pub(crate) const fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// The expression that finds it within all of these tokens of a place; `None` when there was no word in it.
    pub(crate) fn expression(&self, dialect: Dialect, scope: &[String]) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let phrases = self.phrases.iter().map(|phrase| phrase.expression(dialect));
        let phrases: Vec<String> = phrases.collect();
        let scope = scope.iter().map(|token| match dialect {
            Dialect::Sqlite => format!(r#" AND scope : "{token}""#),
            Dialect::Postgres => format!(" & ':{token}'"),
        });
        let scope: String = scope.collect();
        Some(match dialect {
            Dialect::Sqlite => format!("({{topic content}} : ({})){scope}", phrases.join(" AND ")),
            Dialect::Postgres => format!("({}){scope}", phrases.join(" & ")),
        })
    }

    /// Finds what one of these expressions finds.
    pub(crate) fn any(expressions: &[String], dialect: Dialect) -> String {
        expressions.join(match dialect {
            Dialect::Sqlite => " OR ",
            Dialect::Postgres => " | ",
        })
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
        highlight(&escape_html(text), &self.phrases)
    }
}

/// The text between spaces.
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
        let query = SearchQuery::parse(text).unwrap();
        query.expression(Dialect::Sqlite, &[])
    }

    #[test]
    fn postgresql_gets_words_that_are_quoted() {
        let long = "x".repeat(3000);
        let table = [
            ("one two", r"('one' & 'two':*)".to_owned()),
            (
                r#"one "two three""#,
                "('one' & ('two' <-> 'three'))".to_owned(),
            ),
            ("a-two & | ! <-> : * ()", "(('a' <-> 'two':*))".to_owned()),
            (r"it's \ de*", r"(('it' <-> 's') & 'de')".to_owned()),
            ("東京", "(('東' <-> '京'))".to_owned()),
            (&long, format!("('{}':*)", "x".repeat(1000))),
        ];
        for (text, expected) in table {
            let query = SearchQuery::parse(text).unwrap();
            let found = query.expression(Dialect::Postgres, &[]);
            assert_eq!(found, Some(expected), "{text}");
        }
        let query = SearchQuery::parse_negated("one").unwrap();
        let scope = ["c1".to_owned(), "dm".to_owned()];
        let both = [Dialect::Sqlite, Dialect::Postgres]
            .map(|dialect| query.expression(dialect, &scope).unwrap());
        assert_eq!(
            both[0],
            r#"({topic content} : ("one")) AND scope : "c1" AND scope : "dm""#
        );
        assert_eq!(both[1], "('one') & ':c1' & ':dm'");
        assert_eq!(SearchQuery::any(&both, Dialect::Postgres), both.join(" | "));
    }

    #[test]
    fn a_long_phrase_is_asked_for_in_parts_that_overlap() {
        let words: Vec<String> = (0..1000).map(|number| format!("w{number}")).collect();
        let query = SearchQuery::parse_negated(&format!("\"{}\"", words.join(" "))).unwrap();
        let expression = query.expression(Dialect::Postgres, &[]).unwrap();
        let parts: Vec<Vec<&str>> = expression
            .trim_matches(['(', ')'])
            .split(") & (")
            .map(|part| part.split(" <-> ").collect())
            .collect();
        assert!(parts.len() > 3 && parts.iter().all(|part| part.len() <= 256));
        for pair in words.windows(2) {
            let is_in = |part: &Vec<&str>| {
                let at = part
                    .iter()
                    .position(|word| *word == format!("'{}'", pair[0]));
                at.and_then(|at| part.get(at + 1)) == Some(&&*format!("'{}'", pair[1]))
            };
            assert!(parts.iter().any(is_in), "{pair:?}");
        }
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
            assert_eq!(
                query.expression(Dialect::Sqlite, &[]).as_deref(),
                Some(expected),
                "{text}"
            );
        }
    }

    fn with_endings(text: &str, number: usize) -> String {
        let mut query = SearchQuery::parse(text).unwrap();
        let list = |beginning: &str, most: usize| {
            let words = (0..number).map(|n| format!("{beginning}{n}"));
            Ok::<_, ActionError>(words.take(most).collect())
        };
        query.find_endings(list).unwrap();
        query.expression(Dialect::Sqlite, &[]).unwrap()
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
