//! Grafana: groups of alerts, and the alerts of Grafana 7 and before.

use crate::message::event;
use crate::text::{bold, code, escape, joined, link, quote};
use crate::{Call, Integration, Message, Node, Outcome, Proof, alerts};

pub(crate) static GRAFANA: Integration = Integration {
    name: "grafana",
    display_name: "Grafana",
    setup: "Alerting > Contact points > Create contact point\n\
            Integration: Webhook\n\
            URL: ADDRESS\n\
            HMAC Signature, Secret: SECRET",
    events: EVENTS,
    url_options: &[],
    proof: Some(Proof::Sha256 {
        header: "x-grafana-alerting-signature",
        prefix: "",
    }),
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &[
    "alerting", "firing", "no_data", "ok", "paused", "pending", "resolved",
];
/// Most values of an older alert.
const VALUES: usize = 20;

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("alerts").list().len() > 0 {
        group(body).into()
    } else if body.at("ruleName").exists() {
        rule(body).into()
    } else {
        Outcome::Unknown
    }
}

fn group(body: Node<'_>) -> Message {
    let topic = match alerts::topic(body) {
        topic if topic.is_empty() => body.at("title").str().to_owned(),
        topic => topic,
    };
    let kind = event(EVENTS, body.at("status").str());
    let url = body.at("externalURL").str();
    let server = if url.is_empty() {
        String::new()
    } else {
        link("Grafana", url)
    };
    // The usual message repeats the alerts.
    let message = body.at("message").str();
    let is_usual = ["**Firing**", "**Resolved**"]
        .iter()
        .any(|head| message.starts_with(head));
    let message = if is_usual {
        String::new()
    } else {
        quote(message)
    };
    Message::new(kind, topic, [&*alerts::markdown(body), &*message, &*server])
}

fn rule(body: Node<'_>) -> Message {
    let name = body.at("ruleName").str();
    let state = body.at("state").str();
    let shown = match state {
        "alerting" => "**Alerting**".to_owned(),
        "ok" => "**Resolved**".to_owned(),
        "no_data" => "**No data**".to_owned(),
        other => bold(&other.replace('_', " ")),
    };
    let said = format!("{shown}: {}", link(name, body.at("ruleUrl").str()));
    let values = body.at("evalMatches").list().take(VALUES).map(|found| {
        let tags = found.at("tags").fields();
        let tags = joined(
            tags.map(|(name, value)| code(&format!("{name}={}", value.text()))),
            " ",
        );
        let value = format!(
            "* {}: {}",
            escape(found.at("metric").str()),
            bold(&found.at("value").text())
        );
        joined([value, tags], " ")
    });
    let image = match body.at("imageUrl").str() {
        "" => String::new(),
        url => link("image", url),
    };
    let parts = [
        &*said,
        &*quote(body.at("message").str()),
        &*joined(values, "\n"),
        &*image,
    ];
    Message::new(event(EVENTS, state), name, parts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::GRAFANA;
    use crate::testing::message;

    #[test]
    fn groups_have_values_and_links() {
        let body = json!({"status": "firing", "title": "[FIRING:1] x", "message": "**Firing**\n\nValue", "externalURL": "https://g.org/",
            "groupLabels": {"alertname": "Memory *high*"}, "alerts": [{"status": "firing", "labels": {"folder": "device"},
                "annotations": {"summary": "High"}, "generatorURL": "https://g.org/a", "values": {"A": 2473545728_i64, "B": 0.5},
                "silenceURL": "https://g.org/s", "panelURL": "https://g.org/p", "imageURL": "https://g.org/i.png"}]});
        let said = message(&GRAFANA, &[], &body);
        assert_eq!((said.event, &*said.topic), ("firing", "Memory *high*"));
        assert_eq!(
            said.content,
            "**Firing** [Memory &#42;high&#42;](https://g.org/a): High\n`folder=device`\nValues: `A=2473545728` `B=0.5`\n\
             [panel](https://g.org/p) · [silence](https://g.org/s) · [image](https://g.org/i.png)\n[Grafana](https://g.org/)"
        );
    }

    #[test]
    fn older_alerts_have_metrics() {
        let body = json!({"ruleName": "CPU [1]", "ruleUrl": "https://g.org/r", "state": "alerting", "message": "Too *high*",
            "evalMatches": [{"metric": "a_b", "value": 21.5, "tags": {"host": "x"}}], "imageUrl": "https://g.org/i.png"});
        let said = message(&GRAFANA, &[], &body);
        assert_eq!((said.event, &*said.topic), ("alerting", "CPU [1]"));
        assert_eq!(
            said.content,
            "**Alerting**: [CPU [1]](https://g.org/r)\n```quote\nToo *high*\n```\n* a_b: **21.5** `host=x`\n\n[image](https://g.org/i.png)"
        );
    }
}
