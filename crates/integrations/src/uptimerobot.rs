//! UptimeRobot: monitors that go down and come back, and certificates that expire. The fields have the names of
//! the service's own webhook, or those in snake case that a custom body usually has.

use crate::message::fields;
use crate::text::{bold, escape, joined, link, quote_plain};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static UPTIMEROBOT: Integration = Integration {
    name: "uptimerobot",
    display_name: "UptimeRobot",
    setup: r#"Integrations > Webhook
URL to notify: ADDRESS
Send as JSON: on
POST value: {"monitor_friendly_name": "*monitorFriendlyName*", "monitor_url": "*monitorURL*", "alert_type": "*alertType*", "alert_details": "*alertDetails*", "alert_friendly_duration": "*alertFriendlyDuration*"}"#,
    events: &["down", "ssl_expiry", "up"],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let value = |names: [&str; 2]| given(body, &names);
    let url = value(["monitor_url", "monitorURL"]);
    let name = match value(["monitor_friendly_name", "monitorFriendlyName"]) {
        name if name.is_empty() => url.clone(),
        name => name,
    };
    let state = value(["alert_type_friendly_name", "alertTypeFriendlyName"]);
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let shown = if name == url {
        link(&url, &url)
    } else {
        joined([bold(&name), link(&url, &url)], " ")
    };
    let shown = if shown.is_empty() {
        escape(&name)
    } else {
        shown
    };
    let (event, said) = match (&*value(["alert_type", "alertType"]), &*state) {
        ("1", _) | ("", "Down") => ("down", format!("{shown} is **down**.")),
        ("2", _) | ("", "Up") => {
            let after = match value(["alert_friendly_duration", "alertFriendlyDuration"]) {
                time if time.is_empty() => value(["alert_duration", "alertDuration"])
                    .parse()
                    .map_or_else(|_| String::new(), duration),
                time => time,
            };
            let after = if after.is_empty() {
                after
            } else {
                format!(" after {}", escape(&after))
            };
            ("up", format!("{shown} is **up** again{after}."))
        }
        ("3", _) => {
            let days = match value(["ssl_expiry_days_left", "sslExpiryDaysLeft"]) {
                days if days.is_empty() => days,
                days => format!(", {} days left", escape(&days)),
            };
            (
                "ssl_expiry",
                format!("The **certificate** of {shown} expires{days}."),
            )
        }
        (_, "") => ("", format!("{shown} sent an alert.")),
        (_, state) => ("", format!("{shown} is {}.", bold(state))),
    };
    let details = value(["alert_details", "alertDetails"]);
    let contacts = body
        .fields()
        .filter(|(field, _)| matches!(*field, "monitorTags" | "monitorGroup" | "monitorType"));
    Message::new(
        event,
        name,
        [&*said, &*quote_plain(&details), &*fields(contacts)],
    )
    .into()
}

/// The first value that is given; a variable that the service did not know stays as it was written, between asterisks.
fn given(body: Node<'_>, names: &[&str]) -> String {
    let values = names.iter().map(|name| body.at(name).text());
    let is_variable = |value: &str| {
        let name = value
            .strip_prefix('*')
            .and_then(|name| name.strip_suffix('*'));
        name.is_some_and(|name| {
            ["alert", "monitor", "ssl"]
                .iter()
                .any(|start| name.starts_with(start))
        })
    };
    values
        .into_iter()
        .find(|value| !value.is_empty() && !is_variable(value))
        .unwrap_or_default()
}

fn duration(seconds: u64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds % 3600 / 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::UPTIMEROBOT;
    use crate::testing::message;

    #[test]
    fn monitors_go_down_and_come_back() {
        let body = json!({"monitor_url": "https://shop.example.org", "monitor_friendly_name": "Shop *1*", "alert_type": "1",
            "alert_type_friendly_name": "Down", "alert_details": "HTTP 500", "alert_friendly_duration": "*alertFriendlyDuration*"});
        let said = message(&UPTIMEROBOT, &[], &body);
        assert_eq!((said.event, &*said.topic), ("down", "Shop *1*"));
        let shop = "**Shop &#42;1&#42;** [https://shop.example.org](https://shop.example.org)";
        assert_eq!(
            said.content,
            format!("{shop} is **down**.\n```quote\nHTTP 500\n```")
        );
        let body = json!({"monitorURL": "https://shop.example.org", "monitorFriendlyName": "Shop *1*", "alertType": 2, "alertDuration": "3720"});
        let said = message(&UPTIMEROBOT, &[], &body);
        assert_eq!(
            (said.event, said.content),
            ("up", format!("{shop} is **up** again after 1 h 2 min."))
        );
        let body = json!({"monitor_url": "server_1", "alert_type": "3", "sslExpiryDaysLeft": "7"});
        let said = message(&UPTIMEROBOT, &[], &body);
        assert_eq!(
            (said.event, &*said.content),
            (
                "ssl_expiry",
                "The **certificate** of server_1 expires, 7 days left."
            )
        );
    }
}
