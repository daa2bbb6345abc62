//! Statuspage: incidents, scheduled maintenance and components.

use crate::text::{bold, escape, joined, link, quote};
use crate::time::timestamp;
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static STATUSPAGE: Integration = Integration {
    name: "statuspage",
    display_name: "Statuspage",
    setup: "Subscribe to updates > Webhook\n\
            URL: ADDRESS",
    events: &["component_update", "incident", "maintenance"],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    if body.at("incident").exists() {
        incident(body.at("incident")).into()
    } else if body.at("component_update").exists() {
        component(body).into()
    } else {
        Outcome::Unknown
    }
}

fn incident(incident: Node<'_>) -> Message {
    let name = incident.at("name").str();
    let is_maintenance = incident.at("scheduled_for").exists();
    let (event, head) = if is_maintenance {
        ("maintenance", "Maintenance")
    } else {
        ("incident", "Incident")
    };
    // The newest update; the times sort like texts.
    let updates = incident.at("incident_updates").list();
    let update =
        updates.max_by_key(|update| update.first(&["display_at", "created_at"]).str().to_owned());
    let update = update.unwrap_or(incident);
    let status = update.first(&["status"]).str();
    let status = if status.is_empty() {
        incident.at("status").str()
    } else {
        status
    };
    let impact = match incident.at("impact").str() {
        "" | "none" => String::new(),
        impact => format!(", impact {}", bold(impact)),
    };
    let url = incident.at("shortlink").str();
    let said = format!(
        "{head} {}: {}{impact}",
        link(name, url),
        bold(&status.replace('_', " "))
    );
    let (from, until) = (
        incident.at("scheduled_for").str(),
        incident.at("scheduled_until").str(),
    );
    let time = match (timestamp(from), timestamp(until)) {
        (from, _) if from.is_empty() => String::new(),
        (from, until) if until.is_empty() => format!("From {from}"),
        (from, until) => format!("From {from} to {until}"),
    };
    let changes = update.at("affected_components").list().map(|component| {
        let name = component.at("name").str();
        change(
            name,
            component.at("old_status").str(),
            component.at("new_status").str(),
        )
    });
    let changes = joined(changes.take(20).map(|change| format!("* {change}")), "\n");
    Message::new(
        event,
        name,
        [&*said, &*time, &*quote(update.at("body").str()), &*changes],
    )
}

fn component(body: Node<'_>) -> Message {
    let update = body.at("component_update");
    let name = body
        .first(&["component/name", "component_update/component_id"])
        .str();
    let new = match update.at("new_status").str() {
        "" => body.at("component/status").str(),
        new => new,
    };
    let said = format!("{}.", change(name, update.at("old_status").str(), new));
    let page = escape(body.at("page/status_description").str());
    Message::new("component_update", name, [&*said, &*page])
}

fn change(name: &str, old: &str, new: &str) -> String {
    let (old, new) = (old.replace('_', " "), new.replace('_', " "));
    if old == new || old.is_empty() {
        format!("{} is {}", bold(name), bold(&new))
    } else {
        format!(
            "{} changed from {} to {}",
            bold(name),
            escape(&old),
            bold(&new)
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::STATUSPAGE;
    use crate::testing::message;

    #[test]
    fn incidents_show_the_newest_update() {
        let mut body = json!({"incident": {"name": "API *slow*", "status": "identified", "impact": "minor", "shortlink": "https://stspg.io/1",
            "incident_updates": [
                {"status": "identified", "body": "We found **it**", "created_at": "2026-01-01T02:00:00Z",
                    "affected_components": [{"name": "a_b", "old_status": "operational", "new_status": "degraded_performance"}]},
                {"status": "investigating", "body": "old", "created_at": "2026-01-01T01:00:00Z"}]}});
        let said = message(&STATUSPAGE, &[], &body);
        assert_eq!((said.event, &*said.topic), ("incident", "API *slow*"));
        assert_eq!(
            said.content,
            "Incident [API &#42;slow&#42;](https://stspg.io/1): **identified**, impact **minor**\n\
             ```quote\nWe found **it**\n```\n* **a_b** changed from operational to **degraded performance**"
        );
        body["incident"]["scheduled_for"] = json!("2026-02-01T00:00:00.000Z");
        body["incident"]["incident_updates"] = json!([]);
        let said = message(&STATUSPAGE, &[], &body);
        assert_eq!(said.event, "maintenance");
        assert_eq!(
            said.content,
            "Maintenance [API &#42;slow&#42;](https://stspg.io/1): **identified**, impact **minor**\n\
             From <time:2026-02-01T00:00:00.000Z>"
        );
    }

    #[test]
    fn components_change_their_state() {
        let body = json!({"page": {"status_description": "Service Under Maintenance"}, "component": {"name": "DB [1]", "status": "under_maintenance"},
            "component_update": {"old_status": "operational", "new_status": "under_maintenance"}});
        let said = message(&STATUSPAGE, &[], &body);
        assert_eq!((said.event, &*said.topic), ("component_update", "DB [1]"));
        assert_eq!(
            said.content,
            "**DB [1]** changed from operational to **under maintenance**.\nService Under Maintenance"
        );
    }
}
