//! The links of a topic: `topic_links` of a message.
//!
//! Owns their search and their order. A topic itself is not rendered.
//! (docs/protocol/markdown.md#topic-links)

use std::ops::Range;

use crate::context::Context;
use crate::inline;

/// A link in a topic, in the form of the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicLink {
    /// The linked part of the topic.
    pub text: String,
    pub url: String,
}

/// The links of a topic in the order of their position. Where links overlap, linkifiers take precedence over
/// URLs; a URL without scheme gets `https`. `budget` is for all topics of an answer; beyond it only URLs are found.
pub fn render_topic_links(
    topic: &str,
    context: &Context<'_>,
    budget: &mut crate::SearchBudget,
) -> Vec<TopicLink> {
    budget.allow_links();
    let mut found = Vec::new();
    for linkifier in context.linkifiers {
        for link in linkifier.matches(topic, budget) {
            add(link.range, link.url, &mut found);
        }
    }
    let mut begin = 0;
    for piece in topic.split_inclusive([' ', '!', ';', ')', ',', '\'', '"']) {
        let text = piece.trim_end_matches([' ', '!', ';', ')', ',', '\'', '"']);
        for link in inline::bare_links(text) {
            let range = begin + link.range.start..begin + link.range.end;
            let shown = topic.get(range.clone()).unwrap_or_default();
            let url = format!("{}{shown}", link.kind.prefix("https://"));
            add(range, url, &mut found);
        }
        begin += piece.len();
    }
    found.sort_by_key(|(range, _)| range.start);
    found
        .into_iter()
        .map(|(range, url)| TopicLink {
            text: topic.get(range).unwrap_or_default().to_owned(),
            url,
        })
        .collect()
}

/// Adds a link unless it overlaps an existing one.
fn add(range: Range<usize>, url: String, found: &mut Vec<(Range<usize>, String)>) {
    let overlaps = |other: &Range<usize>| range.start < other.end && other.start < range.end;
    if !found.iter().any(|(other, _)| overlaps(other)) {
        found.push((range, url));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Directory, Linkifier, SearchBudget};

    fn links(topic: &str, linkifiers: &[Linkifier]) -> Vec<(String, String)> {
        let directory = Directory::new();
        let context = Context {
            linkifiers,
            ..Context::new(&directory, "")
        };
        let links = render_topic_links(topic, &context, &mut SearchBudget::default());
        links
            .into_iter()
            .map(|link| (link.text, link.url))
            .collect()
    }

    fn pair(text: &str, url: &str) -> (String, String) {
        (text.to_owned(), url.to_owned())
    }

    #[test]
    fn urls_and_linkifiers_in_order_of_position() {
        let linkifier = Linkifier::new("#(?P<id>[0-9]+)", "https://t.example/{id}").unwrap();
        let found = links("e.com, #12 http://a.org/x!", &[linkifier]);
        assert_eq!(
            found,
            [
                pair("e.com", "https://e.com"),
                pair("#12", "https://t.example/12"),
                pair("http://a.org/x", "http://a.org/x"),
            ]
        );
        assert!(links("nothing here", &[]).is_empty());
    }

    #[test]
    fn earlier_linkifiers_win() {
        let first = Linkifier::new("(?P<a>ab)", "https://one.example/{a}").unwrap();
        let second = Linkifier::new("(?P<b>ab c)", "https://two.example/{b}").unwrap();
        let found = links("ab c", &[first, second]);
        assert_eq!(found, [pair("ab", "https://one.example/ab")]);
    }
}
