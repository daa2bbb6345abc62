//! Zabbix: problems that begin and end. Administrators write the body; the fields that it usually has are `hostname`,
//! `severity`, `status`, `item`, `trigger` and `link`, and further ones appear as a list.

use crate::message::{event, fields};
use crate::text::{bold, escape, joined, link};
use crate::{Call, Integration, Message, Outcome};

pub(crate) static ZABBIX: Integration = Integration {
    name: "zabbix",
    display_name: "Zabbix",
    setup: r#"Alerts > Media types > Create media type
Type: Webhook
Parameters: hostname {HOST.NAME}, severity {EVENT.SEVERITY}, status {EVENT.STATUS}, trigger {EVENT.NAME}
Script: var call = new HttpRequest(); call.addHeader("Content-Type: application/json"); return call.post("ADDRESS", value);"#,
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

const EVENTS: &[&str] = &["ok", "problem", "resolved", "update"];
const KNOWN: &[&str] = &["hostname", "item", "link", "severity", "status", "trigger"];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let value = |name: &str| body.at(name).text();
    let (status, trigger, host) = (value("status"), value("trigger"), value("hostname"));
    if trigger.is_empty() || status.is_empty() {
        return Outcome::Unknown;
    }
    let severity = match value("severity") {
        severity if severity.is_empty() => severity,
        severity => format!(" ({})", escape(&severity)),
    };
    let on = if host.is_empty() {
        String::new()
    } else {
        format!(" on {}", bold(&host))
    };
    let said = format!(
        "{}{severity}{on}: {}",
        bold(&status),
        link(&trigger, &value("link"))
    );
    let item = match value("item") {
        item if item.is_empty() => item,
        item => format!("Item: {}", escape(&item)),
    };
    let others = fields(body.fields().filter(|(name, _)| !KNOWN.contains(name)));
    let topic = if host.is_empty() { trigger } else { host };
    let details = joined([item, others], "\n");
    Message::new(event(EVENTS, &status), topic, [&*said, &*details]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ZABBIX;
    use crate::testing::message;

    #[test]
    fn problems_name_host_and_trigger() {
        let mut body = json!({"hostname": "db_1", "severity": "High", "status": "PROBLEM", "item": "Ping (1)",
            "trigger": "Agent *down* @**all**", "link": "https://z.example.org/1", "opdata": "x"});
        let said = message(&ZABBIX, &[], &body);
        assert_eq!((said.event, &*said.topic), ("problem", "db_1"));
        assert_eq!(
            said.content,
            "**PROBLEM** (High) on **db_1**: [Agent &#42;down&#42; @&#42;&#42;all&#42;&#42;](https://z.example.org/1)\n\
             Item: Ping (1)\n* **opdata**: x"
        );
        body["hostname"] = json!(null);
        body["status"] = json!("RESOLVED");
        let said = message(&ZABBIX, &[], &body);
        assert_eq!(
            (said.event, &*said.topic),
            ("resolved", "Agent *down* @**all**")
        );
    }
}
