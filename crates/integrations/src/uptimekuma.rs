//! Uptime Kuma: monitors that change their state, and its other notices (tests, certificates), which are only a text.

use crate::text::{bold, escape, joined, link, quote_plain};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static UPTIMEKUMA: Integration = Integration {
    name: "uptimekuma",
    display_name: "Uptime Kuma",
    setup: "Settings > Notifications > Setup Notification\n\
            Notification Type: Webhook\n\
            Post URL: ADDRESS\n\
            Request Body: Preset - application/json",
    events: &["down", "maintenance", "notice", "pending", "up"],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (heartbeat, monitor) = (body.at("heartbeat"), body.at("monitor"));
    let message = body.at("msg").str();
    if !heartbeat.exists() && message.is_empty() {
        return Outcome::Unknown;
    }
    let name = monitor.first(&["name", "pathName"]).str();
    let topic = if name.is_empty() { "Uptime Kuma" } else { name };
    let (event, state) = match heartbeat.at("status").number() {
        Some(0) => ("down", "**down**"),
        Some(1) => ("up", "**up**"),
        Some(2) => ("pending", "**pending**"),
        Some(3) => ("maintenance", "in **maintenance**"),
        _ => return Message::new("notice", topic, [&*lines(message)]).into(),
    };
    let ping = heartbeat.at("ping").text();
    let ping = if ping.is_empty() {
        ping
    } else {
        format!(" ({} ms)", escape(&ping))
    };
    let said = format!("{} is {state}{ping}.", bold(topic));
    let tags = monitor.at("tags").list().map(|tag| {
        let value = tag.at("value").str();
        let name = tag.at("name").str();
        escape(&if value.is_empty() {
            name.to_owned()
        } else {
            format!("{name}: {value}")
        })
    });
    let details = joined([address(monitor), joined(tags, ", ")], " · ");
    let why = heartbeat.at("msg").str();
    let why = if why.is_empty() { message } else { why };
    Message::new(event, topic, [&*said, &*details, &*quote_plain(why)]).into()
}

/// The address that is watched; monitors without an address have the beginning of one.
fn address(monitor: Node<'_>) -> String {
    let url = monitor.at("url").str();
    if !matches!(url, "" | "http://" | "https://") {
        return link(url, url);
    }
    let port = match monitor.at("port").text() {
        port if port.is_empty() => port,
        port => format!(":{port}"),
    };
    match monitor.at("hostname").str() {
        "" => String::new(),
        host => escape(&format!("{host}{port}")),
    }
}

fn lines(text: &str) -> String {
    let lines = text.lines().take(20).map(escape);
    joined(lines, "\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::UPTIMEKUMA;
    use crate::testing::message;

    #[test]
    fn monitors_change_their_state() {
        let mut body = json!({"heartbeat": {"status": 0, "msg": "getaddrinfo *ENOTFOUND*", "ping": null},
            "monitor": {"name": "Shop @**all**", "url": "https://shop.example.org", "type": "http",
                "tags": [{"name": "prod", "value": ""}, {"name": "team", "value": "web"}]},
            "msg": "[Shop] [Down]"});
        let said = message(&UPTIMEKUMA, &[], &body);
        assert_eq!((said.event, &*said.topic), ("down", "Shop @**all**"));
        let shop = "**Shop @&#42;&#42;all&#42;&#42;**";
        let details = "[https://shop.example.org](https://shop.example.org) · prod, team: web";
        assert_eq!(
            said.content,
            format!(
                "{shop} is **down**.\n{details}\n```quote\ngetaddrinfo &#42;ENOTFOUND&#42;\n```"
            )
        );
        body["heartbeat"] = json!({"status": 1, "msg": "", "ping": 42});
        body["monitor"] =
            json!({"name": "Shop @**all**", "url": "https://", "hostname": "db_1", "port": 5432});
        let said = message(&UPTIMEKUMA, &[], &body);
        assert_eq!(
            (said.event, said.content),
            (
                "up",
                format!("{shop} is **up** (42 ms).\ndb_1:5432\n```quote\n[Shop] [Down]\n```")
            )
        );
    }

    #[test]
    fn notices_are_shown() {
        let body = json!({"heartbeat": null, "monitor": null, "msg": "Chat Testing"});
        let said = message(&UPTIMEKUMA, &[], &body);
        assert_eq!(
            (said.event, &*said.topic, &*said.content),
            ("notice", "Uptime Kuma", "Chat Testing")
        );
    }
}
