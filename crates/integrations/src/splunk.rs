//! Splunk: alerts of saved searches, with the first result.

use crate::message::fields;
use crate::text::{block, code, joined, link};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static SPLUNK: Integration = Integration {
    name: "splunk",
    display_name: "Splunk",
    setup: "Search > Save As > Alert > Add Actions > Webhook\n\
            URL: ADDRESS",
    events: &[],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let name = body.first(&["search_name", "sid"]).str();
    if name.is_empty() {
        return Outcome::Unknown;
    }
    let said = format!(
        "Alert of the search {}",
        link(name, body.at("results_link").str())
    );
    let result = body.at("result");
    let label = |name: &str, path: &str| match result.at(path).text() {
        value if value.is_empty() => value,
        value => format!("{name} {}", code(&value)),
    };
    let labels = [
        label("host", "host"),
        label("source", "source"),
        label("sourcetype", "sourcetype"),
    ];
    Message::new("", name, [&*said, &*joined(labels, " · "), &*found(result)]).into()
}

/// The event as it was logged; a search that makes a table has fields instead.
fn found(result: Node<'_>) -> String {
    let raw = result.at("_raw").str();
    if !raw.is_empty() {
        return block(raw, "");
    }
    let is_shown =
        |name: &str| !name.starts_with('_') && !matches!(name, "host" | "source" | "sourcetype");
    fields(result.fields().filter(|(name, _)| is_shown(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SPLUNK;
    use crate::testing::message;

    #[test]
    fn alerts_show_the_event_or_the_fields() {
        let mut body = json!({"search_name": "Failed [sudo] *x*", "results_link": "https://splunk.example.org/1", "app": "search",
            "result": {"host": "db_1", "source": "/var/log/auth.log", "_raw": "sudo: @**all** failed"}});
        let said = message(&SPLUNK, &[], &body);
        assert_eq!(said.topic, "Failed [sudo] *x*");
        let head = "Alert of the search [Failed [sudo] &#42;x&#42;](https://splunk.example.org/1)";
        assert_eq!(
            said.content,
            format!(
                "{head}\nhost `db_1` · source `/var/log/auth.log`\n```\nsudo: @**all** failed\n```"
            )
        );
        body["result"] = json!({"count": "7", "user": "ann", "_time": "1"});
        assert_eq!(
            message(&SPLUNK, &[], &body).content,
            format!("{head}\n* **count**: 7\n* **user**: ann")
        );
    }
}
