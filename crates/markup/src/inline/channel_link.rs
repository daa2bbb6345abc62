//! Links to channels, topics and messages by name: `#**channel>topic@5**`.
//!
//! Owns their output and the encoding of narrow URLs. A name that is not in the directory stays
//! text. (docs/protocol/markdown.md#channel-links)

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::parser::Parser;
use super::rewrite::{Rewrite, head, tail};
use crate::context::Context;
use crate::node::{Element, Node};
use crate::syntax::{self, ChannelLink};

/// All characters but letters, digits, `_`, `-` and `~`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'~');

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    let mut rewrite = Rewrite::new(text);
    let mut from = 0;
    while let Some(offset) = tail(text, from).find("#**") {
        let at = from + offset;
        from = at + 1;
        if !syntax::may_follow(head(text, at)) {
            continue;
        }
        let Some(link) = ChannelLink::read(tail(text, at)) else {
            continue;
        };
        let end = at + link.length;
        if let Some(element) = anchor(parser.scope.context, &link)
            && parser.replace(&mut rewrite, at..end, element.into_node())
        {
            from = end;
        }
    }
    rewrite.finish()
}

fn anchor(context: &Context<'_>, link: &ChannelLink<'_>) -> Option<Element> {
    let id = context.directory.channel(link.channel)?;
    let slug = encode(&format!("{id}-{}", link.channel.replace(' ', "-")));
    let base = format!("/#narrow/channel/{slug}");
    let anchor = Element::new("a");
    let Some(topic) = link.topic else {
        return Some(
            anchor
                .attribute("class", "stream")
                .attribute("data-stream-id", id.to_string())
                .attribute("href", base)
                .child(Node::Text(format!("#{}", link.channel))),
        );
    };
    let mut text = vec![Node::Text(format!("#{} > ", link.channel))];
    text.push(if topic.is_empty() {
        Element::with_text("em", context.empty_topic_display_name).into_node()
    } else {
        Node::Text(topic.to_owned())
    });
    let topic_url = format!("{base}/topic/{}", encode(topic));
    if let Some(message_id) = link.message_id {
        text.push(Node::Text(" @ 💬".to_owned()));
        return Some(
            anchor
                .attribute("class", "message-link")
                .attribute("href", format!("{topic_url}/near/{message_id}"))
                .children(text),
        );
    }
    let href = match context.directory.newest_message(id, topic) {
        Some(message_id) => format!("{topic_url}/with/{message_id}"),
        None => topic_url,
    };
    Some(
        anchor
            .attribute("class", "stream-topic")
            .attribute("data-stream-id", id.to_string())
            .attribute("href", href)
            .children(text),
    )
}

/// Percent-encodes an operand of a narrow URL, with `.` in place of `%`.
pub(super) fn encode(operand: &str) -> String {
    utf8_percent_encode(operand, ENCODED)
        .to_string()
        .replace('%', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_encoded() {
        assert_eq!(encode("a.b/c%d(é)"), "a.2Eb.2Fc.25d.28.C3.A9.29");
        assert_eq!(encode("a_b-c~d e"), "a_b-c~d.20e");
    }
}
