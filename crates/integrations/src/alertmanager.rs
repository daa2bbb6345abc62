//! Prometheus Alertmanager: groups of alerts.

use crate::message::event;
use crate::text::link;
use crate::{Call, Integration, Message, Outcome, alerts};

pub(crate) static ALERTMANAGER: Integration = Integration {
    name: "alertmanager",
    display_name: "Prometheus Alertmanager",
    setup: r#"alertmanager.yml
receivers: [{name: chat, webhook_configs: [{url: "ADDRESS"}]}]"#,
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &["firing", "resolved"];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("alerts").list().len() == 0 {
        return Outcome::Unknown;
    }
    let topic = match alerts::topic(body) {
        topic if topic.is_empty() => "Alertmanager".to_owned(),
        topic => topic,
    };
    let kind = event(EVENTS, body.at("status").str());
    let url = body.at("externalURL").str();
    let manager = if url.is_empty() {
        String::new()
    } else {
        link("Alertmanager", url)
    };
    Message::new(kind, topic, [&*alerts::markdown(body), &*manager]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ALERTMANAGER;
    use crate::testing::message;

    #[test]
    fn one_alert_is_shown_in_full() {
        let body = json!({"version": "4", "status": "firing", "externalURL": "https://am.example.org",
            "commonLabels": {"alertname": "InstanceDown"}, "alerts": [{"status": "firing",
                "labels": {"alertname": "InstanceDown", "instance": "a_b:9100", "severity": "critical"},
                "annotations": {"summary": "web *is* down @**all**", "description": "since\n**noon**", "runbook_url": "https://x.org/r"},
                "startsAt": "2026-03-04T12:00:00Z", "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "https://prom.example.org/g"}]});
        let said = message(&ALERTMANAGER, &[], &body);
        assert_eq!((said.event, &*said.topic), ("firing", "InstanceDown"));
        assert_eq!(
            said.content,
            "**Firing** [InstanceDown](https://prom.example.org/g) since <time:2026-03-04T12:00:00Z>: \
             web &#42;is&#42; down @&#42;&#42;all&#42;&#42;\n```quote\nsince\n&#42;&#42;noon&#42;&#42;\n```\n`instance=a_b:9100` `severity=critical`\n\
             [runbook](https://x.org/r)\n[Alertmanager](https://am.example.org)"
        );
    }

    #[test]
    fn alerts_of_a_group_share_labels() {
        let alert = |status: &str, name: &str| {
            json!({"status": status, "labels": {"alertname": name, "env": "prod", "instance": name},
                "annotations": {"description": "d"}, "endsAt": "2026-03-04T12:00:00Z"})
        };
        let body = json!({"status": "firing", "truncatedAlerts": 1, "commonLabels": {"env": "prod"},
            "alerts": [alert("resolved", "A"), alert("firing", "B"), alert("firing", "B")]});
        let said = message(&ALERTMANAGER, &[], &body);
        assert_eq!(said.topic, "A, B");
        assert_eq!(
            said.content,
            "3 alerts: 2 **firing**, 1 **resolved**\n`env=prod`\n\n**Firing** B: d\n`instance=B`\n\n**Firing** B: d\n`instance=B`\n\n\
             **Resolved** A at <time:2026-03-04T12:00:00Z>: d\n`instance=A`\n\nand 1 alert not shown"
        );
    }
}
