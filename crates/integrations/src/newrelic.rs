//! New Relic: issues of its workflows. Users write the bodies; one without the usual fields appears as a list of its own.

use crate::message::fields;
use crate::text::{bold, escape, joined, link};
use crate::time::unix_time;
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static NEWRELIC: Integration = Integration {
    name: "newrelic",
    display_name: "New Relic",
    setup: "Alerts > Workflows > Add a workflow > Notify > Webhook\n\
            Endpoint URL: ADDRESS",
    events: &["acknowledged", "activated", "closed", "created"],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

/// Fields that a message shows by itself, or that say nothing to people.
const KNOWN: &[&str] = &[
    "acknowledgedAt",
    "alertConditionNames",
    "alertPolicyNames",
    "closedAt",
    "createdAt",
    "id",
    "impactedEntities",
    "isCorrelated",
    "issueUrl",
    "owner",
    "priority",
    "sources",
    "state",
    "title",
    "totalIncidents",
    "trigger",
    "updatedAt",
    "workflowName",
];

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (title, state) = (first(body.at("title")), body.at("state").str());
    let others = others(body);
    if title.is_empty() || state.is_empty() {
        if others.is_empty() {
            return Outcome::Unknown;
        }
        return Message::new("", "New Relic", ["New Relic sent:", &*others]).into();
    }
    let owner = match body.at("owner").str() {
        "N/A" => "",
        owner => owner,
    };
    let (event, done) = match state {
        "CREATED" => ("created", "**created**".to_owned()),
        "ACTIVATED" if !owner.is_empty() => (
            "acknowledged",
            format!("**acknowledged** by {}", escape(owner)),
        ),
        "ACTIVATED" => ("activated", "**activated**".to_owned()),
        "ACKNOWLEDGED" => ("acknowledged", "**acknowledged**".to_owned()),
        "CLOSED" => ("closed", format!("**closed**{}", duration(body))),
        other => ("", format!("in the state {}", bold(other))),
    };
    let priority = match body.at("priority").str() {
        "" => String::new(),
        priority => format!("{} ", escape(&capital(priority))),
    };
    let issue = link(&title, body.at("issueUrl").str());
    let said = capital_first(&format!("{priority}issue {issue} was {done}."));
    let topic = match first(body.at("alertConditionNames")) {
        name if name.is_empty() => title,
        name => name,
    };
    let opened = if event == "closed" {
        String::new()
    } else {
        time("Opened", body.at("createdAt"))
    };
    let details = [
        opened,
        count(body.at("totalIncidents")),
        list("Entities", body.at("impactedEntities")),
        list("Conditions", body.at("alertConditionNames")),
        list("Policies", body.at("alertPolicyNames")),
    ];
    Message::new(event, topic, [&*said, &*joined(details, " · "), &*others]).into()
}

/// Values are texts or lists of them.
fn first(node: Node<'_>) -> String {
    match node.text() {
        text if text.is_empty() => node.at("0").text(),
        text => text,
    }
}

fn list(label: &str, node: Node<'_>) -> String {
    let values = joined(
        node.list()
            .take(20)
            .map(|value| escape(&value.text()))
            .chain([escape(node.str())]),
        ", ",
    );
    if values.is_empty() {
        values
    } else {
        format!("{label}: {values}")
    }
}

fn count(incidents: Node<'_>) -> String {
    let number = incidents
        .number()
        .and_then(|number| usize::try_from(number).ok());
    number.map_or_else(String::new, |number| crate::text::count(number, "incident"))
}

fn capital(word: &str) -> String {
    capital_first(&word.to_lowercase())
}

fn capital_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Times are in milliseconds.
fn time(label: &str, node: Node<'_>) -> String {
    match node
        .number()
        .map(|milliseconds| unix_time(milliseconds / 1000))
    {
        Some(time) if !time.is_empty() => format!("{label} {time}"),
        _ => String::new(),
    }
}

fn duration(body: Node<'_>) -> String {
    let at = |key: &str| body.at(key).number();
    let end = at("closedAt").or_else(|| at("updatedAt"));
    let minutes = match (at("createdAt"), end) {
        (Some(start), Some(end)) if end > start => (end - start) / 60_000,
        _ => return String::new(),
    };
    match (minutes / 60, minutes % 60) {
        (0, 0) => " in less than a minute".to_owned(),
        (0, minutes) => format!(" after {minutes} min"),
        (hours, minutes) => format!(" after {hours} h {minutes} min"),
    }
}

/// The fields that users added, also those in an object of their own.
fn others(body: Node<'_>) -> String {
    let added = body.fields().filter(|(name, _)| !KNOWN.contains(name));
    let inner = added.flat_map(|(name, node)| {
        let is_object = node.value().is_some_and(serde_json::Value::is_object);
        let itself = if is_object { None } else { Some((name, node)) };
        node.fields().chain(itself)
    });
    fields(inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::NEWRELIC;
    use crate::testing::message;

    #[test]
    fn issues_have_state_and_entities() {
        let mut body = json!({"title": "CPU is > 2 on 'High *CPU*'", "issueUrl": "https://nr.example.org/1", "priority": "CRITICAL", "state": "ACTIVATED",
            "createdAt": 0, "updatedAt": 3_720_000, "totalIncidents": 1, "impactedEntities": ["db_1"], "owner": "N/A",
            "alertConditionNames": ["High CPU"], "alertPolicyNames": ["Golden"], "custom": {"Team": "core"}});
        let said = message(&NEWRELIC, &[], &body);
        assert_eq!((said.event, &*said.topic), ("activated", "High CPU"));
        let issue = "Critical issue [CPU is > 2 on 'High &#42;CPU&#42;'](https://nr.example.org/1)";
        let rest = "1 incident · Entities: db_1 · Conditions: High CPU · Policies: Golden\n* **Team**: core";
        assert_eq!(
            said.content,
            format!("{issue} was **activated**.\nOpened <time:1970-01-01T00:00:00Z> · {rest}")
        );
        body["state"] = json!("CLOSED");
        let said = message(&NEWRELIC, &[], &body);
        assert_eq!(
            (said.event, said.content),
            (
                "closed",
                format!("{issue} was **closed** after 1 h 2 min.\n{rest}")
            )
        );
        body["state"] = json!("ACTIVATED");
        body["owner"] = json!("Ann");
        let said = message(&NEWRELIC, &[], &body);
        assert_eq!(said.event, "acknowledged");
        assert!(
            said.content
                .starts_with(&format!("{issue} was **acknowledged** by Ann.\n"))
        );
    }

    #[test]
    fn bodies_of_users_become_lists() {
        let said = message(
            &NEWRELIC,
            &[],
            &json!({"what": "a *b*", "names": ["x", "y"], "n": 1}),
        );
        assert_eq!(
            (&*said.topic, &*said.content),
            (
                "New Relic",
                "New Relic sent:\n* **n**: 1\n* **names**: x, y\n* **what**: a &#42;b&#42;"
            )
        );
    }
}
