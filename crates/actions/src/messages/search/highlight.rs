//! Marks hits in HTML that the server itself has made.
//!
//! Only text is marked: nothing inside a tag, an entity, or a formula, whose source clients read.
//! The only insertions are `<span class="highlight">` and its end, so removing them gives the
//! original document.

use super::phrase::Phrase;
use spindle_domain::words::{Word, Words};

const OPEN: &str = r#"<span class="highlight">"#;
const CLOSE: &str = "</span>";

/// Longest entity that is read as one.
const MAX_ENTITY_LENGTH: usize = 12;

/// Marks every occurrence of the phrases.
pub(super) fn highlight(html: &str, phrases: &[Phrase]) -> String {
    let words = visible_words(html);
    let mut hits = Vec::new();
    for phrase in phrases {
        for run in words.windows(phrase.words.len().max(1)) {
            if phrase.is_at(run) {
                add_run(html, run, &mut hits);
            }
        }
    }
    mark(html, hits)
}

/// Adds the positions of a run of words; words of one text are one position.
fn add_run(html: &str, run: &[Word], hits: &mut Vec<(usize, usize)>) {
    let mut place: Option<(usize, usize)> = None;
    for word in run {
        let joined = place.filter(|(_, end)| {
            html.get(*end..word.start)
                .is_some_and(|between| !between.contains('<'))
        });
        match (joined, place) {
            (Some((start, _)), _) => place = Some((start, word.end)),
            (None, done) => {
                hits.extend(done);
                place = Some((word.start, word.end));
            }
        }
    }
    hits.extend(place);
}

fn mark(html: &str, mut hits: Vec<(usize, usize)>) -> String {
    hits.sort_unstable();
    let mut marked = String::with_capacity(html.len() + hits.len() * (OPEN.len() + CLOSE.len()));
    let mut done = 0;
    let mut hits = hits.into_iter().peekable();
    while let Some((start, mut end)) = hits.next() {
        while let Some((_, further)) = hits.next_if(|(next, _)| *next <= end) {
            end = end.max(further);
        }
        marked.push_str(html.get(done..start).unwrap_or_default());
        marked.push_str(OPEN);
        marked.push_str(html.get(start..end).unwrap_or_default());
        marked.push_str(CLOSE);
        done = end;
    }
    marked.push_str(html.get(done..).unwrap_or_default());
    marked
}

/// The words that a reader sees, with their positions in the HTML.
fn visible_words(html: &str) -> Vec<Word> {
    let mut words = Words::default();
    let mut at = 0;
    while let Some(rest) = html.get(at..) {
        let Some(character) = rest.chars().next() else {
            break;
        };
        let length = match character {
            '<' => {
                words.end_word();
                skipped(rest)
            }
            '&' => match entity(rest) {
                Some((character, length)) => {
                    words.push(character, at, at + length);
                    length
                }
                None => {
                    words.end_word();
                    1
                }
            },
            other => {
                let length = other.len_utf8();
                words.push(other, at, at + length);
                length
            }
        };
        at += length;
    }
    words.finish()
}

/// Length of the tag at the beginning, or of the whole formula that it opens.
fn skipped(html: &str) -> usize {
    let end_of_formula = || html.find("</math>").unwrap_or(html.len());
    if html.starts_with("<math") {
        return end_of_formula().max(1);
    }
    let mut quote = None;
    for (index, byte) in html.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return index + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    html.len()
}

/// The character that the entity at the beginning stands for, and its length.
fn entity(html: &str) -> Option<(char, usize)> {
    let end = html
        .bytes()
        .take(MAX_ENTITY_LENGTH)
        .position(|byte| byte == b';')?;
    let name = html.get(1..end)?;
    let character = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
        // Letters are never written as entities; characters that are, separate words.
        None if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => ' ',
        None => return None,
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use super::super::SearchQuery;

    fn marked(search: &str, html: &str) -> String {
        SearchQuery::parse(search)
            .unwrap()
            .mark_html(html)
            .replace(super::OPEN, "[")
            .replace(super::CLOSE, "]")
    }

    #[test]
    fn text_is_marked_and_nothing_else() {
        let table = [
            ("one", "<p>One, none one</p>", "<p>[One], none [one]</p>"),
            (
                "p",
                "<p title=\"p > p\">p</p>",
                "<p title=\"p > p\">[p]</p>",
            ),
            ("amp", "<p>a &amp; amp</p>", "<p>a &amp; [amp]</p>"),
            ("39", "it&#39;s 39", "it&#39;s [39]"),
            ("a", "&#97; b", "[&#97;] b"),
            ("ecole", "<b>École</b>", "<b>[École]</b>"),
            ("deplo*", "deployed deep", "[deployed] deep"),
            ("deplo", "deployed deep", "[deployed] deep"),
            ("de", "deployed de", "deployed [de]"),
            ("deplo deep", "deployed deeply", "deployed [deeply]"),
            ("\"deplo\"", "deployed", "deployed"),
            ("is deplo", "is <b>deployed</b>", "[is] <b>[deployed]</b>"),
            ("\"one two\"", "one two one", "[one two] one"),
            ("\"one two\"", "<b>one</b> two", "<b>[one]</b> [two]"),
            ("one two", "two & one two", "[two] & [one] [two]"),
            ("a-b", "a-b b-a", "[a-b] b-a"),
            ("\"a b\" b", "a b", "[a b]"),
            ("京タ", "東京タワー", "東[京タ]ワー"),
            ("x", "<math>x</math> x", "<math>x</math> [x]"),
            ("x", "1 < x", "1 < x"),
            ("x", "& x &x; &", "& [x] &x; &"),
            ("!!!", "!!!", "!!!"),
        ];
        for (search, html, expected) in table {
            assert_eq!(marked(search, html), expected, "{search} in {html}");
        }
    }

    #[test]
    fn a_topic_is_escaped_before_it_is_marked() {
        let query = SearchQuery::parse("lt").unwrap();
        assert_eq!(
            query.mark_text("<lt>"),
            "&lt;<span class=\"highlight\">lt</span>&gt;"
        );
    }
}
