//! Pingdom: checks that fail and recover.

use crate::text::{bold, escape, link, quote};
use crate::{Call, Integration, Message, Outcome};

pub(crate) static PINGDOM: Integration = Integration {
    name: "pingdom",
    display_name: "Pingdom",
    setup: "Settings > Integrations > Add integration\n\
            Type: Webhook\n\
            URL: ADDRESS",
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let name = body.at("check_name").str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let params = body.at("check_params");
    let host = params.first(&["full_url", "hostname"]).str();
    let said = format!(
        "{} {} changed from {} to {}.",
        escape(body.at("check_type").str()),
        bold(name),
        escape(body.at("previous_state").str()),
        bold(body.at("current_state").str()),
    );
    let why = quote(body.at("long_description").str());
    Message::new("", name, [&*said, &*link(host, host), &*why]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::PINGDOM;
    use crate::testing::message;

    #[test]
    fn a_failing_check_says_where_and_why() {
        let body = json!({"check_name": "Shop", "check_type": "HTTP", "previous_state": "UP",
            "current_state": "DOWN", "long_description": "No answer within 30 s",
            "check_params": {"hostname": "shop.example.org", "full_url": "https://shop.example.org/cart"}});
        let said = message(&PINGDOM, &[], &body);
        assert_eq!(said.topic, "Shop");
        assert_eq!(
            said.content,
            "HTTP **Shop** changed from UP to **DOWN**.\n\
             [https://shop.example.org/cart](https://shop.example.org/cart)\n\
             ```quote\nNo answer within 30 s\n```"
        );
    }
}
