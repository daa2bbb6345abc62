//! IFTTT: what an applet puts together, with fields `topic` and `content`.

use crate::text::{block, silent};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static IFTTT: Integration = Integration {
    name: "ifttt",
    display_name: "IFTTT",
    setup: r#"Create > Then That > Webhooks > Make a web request
URL: ADDRESS
Method: POST
Content Type: application/json
Body: {"topic": "TOPIC", "content": "TEXT"}"#,
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    composed(body.at("topic"), body.at("content"), "IFTTT").into()
}

/// A message of a topic and a text that a person has put together in a service, from what others write: it keeps its
/// formatting and loses its mentions. A text that is an object or a list is shown as JSON.
pub(crate) fn composed(topic: Node<'_>, content: Node<'_>, otherwise: &str) -> Option<Message> {
    let topic = topic.text();
    let topic = if topic.trim().is_empty() {
        otherwise
    } else {
        &*topic
    };
    let text = silent(content.text().trim_end());
    let content = if text.is_empty() {
        let written = content.value().filter(|value| !value.is_string());
        let written = written.map(|value| serde_json::to_string_pretty(value).unwrap_or_default());
        block(&written.unwrap_or_default(), "json")
    } else {
        text
    };
    let is_empty = content.trim().is_empty();
    (!is_empty).then(|| Message::new("", topic, [&*content]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::IFTTT;
    use crate::Outcome;
    use crate::testing::{message, outcome};

    #[test]
    fn applets_say_what_they_like() {
        for (body, topic, content) in [
            (
                json!({"topic": "Mail", "content": "From @**all**"}),
                "Mail",
                "From &#64;**all**",
            ),
            (json!({"content": "Rain"}), "IFTTT", "Rain"),
            (
                json!({"topic": "Mail", "content": [1]}),
                "Mail",
                "```json\n[\n  1\n]\n```",
            ),
        ] {
            let said = message(&IFTTT, &[], &body);
            assert_eq!((&*said.topic, &*said.content), (topic, content));
        }
        assert_eq!(
            outcome(&IFTTT, &[], &json!({"topic": "Mail"})),
            Outcome::Unknown
        );
    }
}
