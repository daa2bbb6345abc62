//! OpenSearch: notifications of its alerting, whose text an administrator writes, in Markdown if they want.

use crate::text::silent;
use crate::{Call, Integration, Message, Outcome};

pub(crate) static OPENSEARCH: Integration = Integration {
    name: "opensearch",
    display_name: "OpenSearch",
    setup: "Notifications > Channels > Create channel\n\
            Channel type: Custom webhook\n\
            Method: POST\n\
            Webhook URL: ADDRESS",
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let text = match body.text() {
        text if text.is_empty() => body.first(&["message", "text", "content"]).text(),
        text => text,
    };
    let text = text.trim();
    if text.is_empty() {
        return Outcome::Unknown;
    }
    // The usual text names the trigger and the monitor.
    let trigger = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("- Trigger: "));
    let monitor = text.lines().next().and_then(|line| {
        let name = line.strip_prefix("Monitor ")?;
        name.split_once(" just entered").map(|(name, _)| name)
    });
    let topic = monitor.or(trigger).unwrap_or("OpenSearch alerts");
    Message::new("", topic, [&*silent(text)]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::OPENSEARCH;
    use crate::testing::message;

    #[test]
    fn texts_are_shown_without_mentions() {
        let text = "Monitor Disk *space* just entered alert status.\n- Trigger: over 1TB\n- Severity: 1 @**all**";
        let said = message(&OPENSEARCH, &[], &json!(text));
        assert_eq!(said.topic, "Disk *space*");
        assert_eq!(
            said.content,
            "Monitor Disk *space* just entered alert status.\n- Trigger: over 1TB\n- Severity: 1 &#64;**all**"
        );
        let said = message(&OPENSEARCH, &[], &json!({"message": "hello"}));
        assert_eq!(
            (&*said.topic, &*said.content),
            ("OpenSearch alerts", "hello")
        );
    }
}
