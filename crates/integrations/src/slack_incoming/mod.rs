//! Programs that are made for Slack's incoming webhooks.
//!
//! A message has the text, or the blocks in its place, and the attachments, as Slack shows them. Left out are only
//! decorations: colours and the small icons before names. Null and empty texts are ignored. Blocks and elements of
//! unknown types appear with the texts in them, or as JSON.

mod attachment;
mod blocks;
mod mrkdwn;
mod rich;

use serde_json::Value;

use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static SLACK_INCOMING: Integration = Integration {
    name: "slack_incoming",
    display_name: "Slack-compatible webhook",
    setup: "Slack\n\
            Webhook URL: ADDRESS",
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

/// Bytes after which further parts are left out; they would be cut off.
const MOST: usize = 40_000;

pub(crate) fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    // Forms have lists as JSON in a text.
    let parsed = |key: &str| serde_json::from_str::<Value>(body.at(key).str()).ok();
    let (blocks, attachments) = (parsed("blocks"), parsed("attachments"));
    let blocks = blocks.as_ref().map_or(body.at("blocks"), Node::of);
    let attachments = attachments.as_ref();
    let attachments = attachments.map_or(body.at("attachments"), Node::of);
    let is_known = |key: &&str| body.value().and_then(|value| value.get(key)).is_some();
    if !["text", "blocks", "attachments"].iter().any(is_known) {
        return Outcome::Unknown;
    }
    let mut parts = within(blocks, blocks::block);
    // Where there are blocks, Slack uses the text for notifications only.
    let is_empty = |part: &String| matches!(part.as_str(), "" | blocks::DIVIDER);
    if parts.iter().all(is_empty) {
        parts.insert(0, text(body));
    }
    parts.extend(within(attachments, attachment::attachment));
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return Outcome::Ignored;
    }
    let content = parts.join("\n\n");
    Message::new("", topic(body), [&*content]).into()
}

/// The parts of a message, until there are more than it can hold.
fn within(parts: Node<'_>, shown: impl Fn(Node<'_>) -> String) -> Vec<String> {
    let mut length = 0;
    let parts = blocks::items(parts).into_iter().map(shown);
    let parts = parts.take_while(|part| {
        let fits = length < MOST;
        length += part.len() + 2;
        fits
    });
    parts.collect()
}

fn text(body: Node<'_>) -> String {
    if body.at("mrkdwn").value() == Some(&Value::Bool(false)) {
        mrkdwn::plain(&body.at("text").text())
    } else {
        blocks::text(body.at("text"))
    }
}

/// The channel that the sender names, or the sender's name.
fn topic(body: Node<'_>) -> String {
    let name = body.first(&["channel", "username"]).str();
    let name = mrkdwn::decode(name.trim().trim_start_matches(['#', '@']));
    if name.is_empty() {
        "(no topic)".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests;
