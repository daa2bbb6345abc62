//! Home Assistant: what an automation sends with its REST notifications.

use crate::text::silent;
use crate::{Call, Integration, Message, Outcome};

pub(crate) static HOMEASSISTANT: Integration = Integration {
    name: "homeassistant",
    display_name: "Home Assistant",
    setup: r#"configuration.yaml
notify: [{platform: rest, name: chat, method: POST_JSON, title_param_name: title, resource: "ADDRESS"}]"#,
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    // The people of the house write these, with names and values of things in them.
    let message = silent(&body.at("message").text());
    if message.trim().is_empty() {
        return Outcome::Unknown;
    }
    let topic = body.first(&["topic", "title", "data/title"]).str();
    let topic = if topic.is_empty() {
        "Home Assistant"
    } else {
        topic
    };
    let image = body.first(&["data/image", "data/url"]).str();
    let image = crate::text::link(image, image);
    Message::new("", topic, [&*message, &*image]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::HOMEASSISTANT;
    use crate::testing::message;

    #[test]
    fn notifications_keep_their_formatting() {
        let said = message(
            &HOMEASSISTANT,
            &[],
            &json!({"title": "Door", "message": "**Open** for @**all**"}),
        );
        assert_eq!(
            (&*said.topic, &*said.content),
            ("Door", "**Open** for &#64;**all**")
        );
        let said = message(&HOMEASSISTANT, &[], &json!({"message": "Rain"}));
        assert_eq!((&*said.topic, &*said.content), ("Home Assistant", "Rain"));
    }
}
