//! Programs that are made for Slack's incoming webhooks.

use serde_json::Value;

use super::text::{at, link, plain};
use super::{Incoming, IncomingCall, Integration, Refusal};

pub(super) const SLACK: Integration = Integration {
    name: "slack_incoming",
    display_name: "Slack-compatible webhook",
    event_types: None,
    event_header: None,
    config_options: &[],
    url_options: &[],
    read,
};

fn read(call: &IncomingCall<'_>) -> Result<Option<Incoming>, Refusal> {
    let payload = call.payload;
    let mut parts = Vec::new();
    let blocks = payload.get("blocks").and_then(Value::as_array);
    let from_blocks: Vec<String> = blocks.into_iter().flatten().filter_map(block).collect();
    if from_blocks.is_empty() {
        parts.extend(at(payload, &["text"]).map(markdown));
    } else {
        parts.extend(from_blocks);
    }
    let attachments = payload.get("attachments").and_then(Value::as_array);
    parts.extend(attachments.into_iter().flatten().filter_map(attachment));
    parts.retain(|part| !part.trim().is_empty());
    if parts.is_empty() {
        return Err(Refusal::Payload(
            "the payload has neither text nor blocks nor attachments",
        ));
    }
    let channel = at(payload, &["channel"])
        .map(plain)
        .filter(|name| !name.is_empty());
    Ok(Some(Incoming {
        topic: channel.unwrap_or_else(|| "(no topic)".to_owned()),
        content: parts.join("\n\n"),
    }))
}

fn block(block: &Value) -> Option<String> {
    match at(block, &["type"])? {
        "header" => Some(format!("## {}", plain(at(block, &["text", "text"])?))),
        "section" => at(block, &["text", "text"]).map(markdown),
        "context" => {
            let elements = block.get("elements")?.as_array()?;
            let texts: Vec<String> = elements
                .iter()
                .filter_map(|element| at(element, &["text"]).map(markdown))
                .collect();
            Some(texts.join(" "))
        }
        "divider" => Some("---".to_owned()),
        _ => None,
    }
}

fn attachment(attachment: &Value) -> Option<String> {
    let mut lines = Vec::new();
    lines.extend(at(attachment, &["pretext"]).map(markdown));
    if let Some(title) = at(attachment, &["title"]) {
        lines.push(format!(
            "**{}**",
            link(title, at(attachment, &["title_link"]))
        ));
    }
    lines.extend(at(attachment, &["text"]).map(markdown));
    let fields = attachment.get("fields").and_then(Value::as_array);
    for field in fields.into_iter().flatten() {
        let title = at(field, &["title"]).map(plain).unwrap_or_default();
        let value = at(field, &["value"]).map(markdown).unwrap_or_default();
        lines.push(format!("* **{title}**: {value}"));
    }
    if lines.is_empty() {
        lines.extend(at(attachment, &["fallback"]).map(markdown));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Slack's markup as Markdown: `<url|text>`, `*bold*`, `~struck~`, and the escapes.
fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(&emphasis(before));
        match after.split_once('>') {
            Some((inner, behind)) => {
                out.push_str(&reference(inner));
                rest = behind;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(&emphasis(rest));
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The text between angle brackets: an address, a channel or a mention, which notifies no user here.
fn reference(inner: &str) -> String {
    let (target, shown) = match inner.split_once('|') {
        Some((target, shown)) => (target, Some(shown)),
        None => (inner, None),
    };
    if target.starts_with(['@', '#', '!']) {
        return plain(shown.unwrap_or(target));
    }
    match shown {
        Some(shown) => link(shown, Some(target)),
        None => target.to_owned(),
    }
}

/// One asterisk or tilde around words becomes two, as Markdown has it.
fn emphasis(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let letters: Vec<char> = text.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let beside = |at: Option<usize>| at.and_then(|at| letters.get(at)).copied();
        let before = beside(index.checked_sub(1));
        let after = beside(index.checked_add(1));
        let stands_alone = before != Some(*letter) && after != Some(*letter);
        let touches =
            before.is_some_and(|c| !c.is_whitespace()) || after.is_some_and(|c| !c.is_whitespace());
        out.push(*letter);
        if matches!(letter, '*' | '~') && stands_alone && touches {
            out.push(*letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slack_payloads_become_markdown() {
        let read = |payload| super::super::read(&SLACK, "", &payload);
        let said = read(
            json!({"text": "*Done* in <https://ci.org/1|build 1> &amp; ~not~ <@U1>",
            "channel": "#ci"}),
        )
        .unwrap()
        .unwrap();
        assert_eq!(said.topic, "ci");
        assert_eq!(
            said.content,
            "**Done** in [build 1](https://ci.org/1) & ~~not~~ U1"
        );
        let said = read(json!({
            "blocks": [{"type": "header", "text": {"type": "plain_text", "text": "Build"}},
                {"type": "section", "text": {"type": "mrkdwn", "text": "ok"}}, {"type": "image"}],
            "attachments": [{"title": "Log", "title_link": "https://x.org/log",
                "fields": [{"title": "Branch", "value": "main"}]}],
        }))
        .unwrap()
        .unwrap();
        assert_eq!(said.topic, "(no topic)");
        assert_eq!(
            said.content,
            "## Build\n\nok\n\n**[Log](https://x.org/log)**\n* **Branch**: main"
        );
        assert!(matches!(read(json!({"x": 1})), Err(Refusal::Payload(_))));
    }
}
