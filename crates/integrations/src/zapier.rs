//! Zapier: what a Zap puts together, with fields `topic` (or `subject`) and `content`.
//!
//! Left out: the call that Zapier makes when a person connects an account (`{"type": "auth"}`).

use crate::ifttt::composed;
use crate::{Call, Integration, Outcome};

pub(crate) static ZAPIER: Integration = Integration {
    name: "zapier",
    display_name: "Zapier",
    setup: "Action > Webhooks by Zapier > POST\n\
            URL: ADDRESS\n\
            Payload Type: json\n\
            Data: topic, content",
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("type").str() == "auth" {
        return Outcome::Ignored;
    }
    composed(
        body.first(&["topic", "subject"]),
        body.at("content"),
        "Zapier",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ZAPIER;
    use crate::Outcome;
    use crate::testing::{message, outcome};

    #[test]
    fn zaps_say_what_they_like() {
        let body = json!({"subject": "New *lead*", "content": "Ask #**sales**\n"});
        let said = message(&ZAPIER, &[], &body);
        assert_eq!(
            (&*said.topic, &*said.content),
            ("New *lead*", "Ask &#35;**sales**")
        );
        assert_eq!(
            outcome(&ZAPIER, &[], &json!({"type": "auth"})),
            Outcome::Ignored
        );
    }
}
