//! Webhooks of version 3.

use crate::text::{bold, code, escape, joined, link, quote_plain};
use crate::{Message, Node};

pub(super) fn read(event: &'static str, kind: &str, body: Node<'_>) -> Message {
    let data = body.at("data");
    if kind == "pagey.ping" {
        let said = escape(data.at("message").str());
        return Message::new(event, "PagerDuty", ["PagerDuty tests the webhook.", &*said]);
    }
    if kind.starts_with("service.") {
        return service(event, kind, body);
    }
    let is_incident = data.at("type").str() == "incident" || data.at("number").exists();
    let incident = if is_incident {
        data
    } else {
        data.at("incident")
    };
    let number = incident.at("number").text();
    let title = incident.first(&["title", "summary", "id"]).str();
    let name = match number.as_str() {
        "" => title.to_owned(),
        number => format!("#{number} {title}"),
    };
    let shown = format!("incident {}", link(&name, incident.at("html_url").str()));
    let who = escape(body.at("agent/summary").str());
    let what = kind.strip_prefix("incident.").unwrap_or(kind);
    let said = done(what, &who, &shown, data);
    let text = data.first(&["content", "message", "conference_url"]).str();
    let details = if is_incident {
        details(data)
    } else {
        String::new()
    };
    // References to an incident have no number, and all of its events belong to one topic.
    Message::new(event, title, [&*said, &*details, &*quote_plain(text)])
}

/// A sentence about an incident; PagerDuty does many things by itself, in the passive then.
fn done(what: &str, who: &str, incident: &str, data: Node<'_>) -> String {
    let by = if who.is_empty() {
        String::new()
    } else {
        format!(" by {who}")
    };
    let capital = incident.replacen("incident", "Incident", 1);
    let assignees = people(data.at("assignees"));
    let to = if assignees.is_empty() {
        String::new()
    } else {
        format!(" to {assignees}")
    };
    let named = |path: &str| bold(data.at(path).str());
    match what {
        "triggered" => format!("{capital} was **triggered**{by}{}.", assigned(&assignees)),
        "acknowledged" => format!("{capital} was **acknowledged**{by}."),
        "unacknowledged" => format!(
            "{capital} is **no longer acknowledged**{}.",
            assigned(&assignees)
        ),
        "resolved" => format!("{capital} was **resolved**{by}."),
        "reopened" => format!("{capital} was **reopened**{by}{}.", assigned(&assignees)),
        "reassigned" => format!("{capital} was **reassigned**{to}{by}."),
        "delegated" => format!(
            "{capital} was **delegated** to the escalation policy {}{by}.",
            named("escalation_policy/summary")
        ),
        "escalated" => format!("{capital} was **escalated**{to}{by}."),
        "priority_updated" => {
            let priority = match data.at("priority/summary").str() {
                "" => "**none**".to_owned(),
                priority => bold(priority),
            };
            format!("The priority of {incident} was changed to {priority}{by}.")
        }
        "service_updated" => format!(
            "{capital} was **moved to the service** {}{by}.",
            named("service/summary")
        ),
        "incident_type.changed" => format!(
            "The type of {incident} was changed to {}{by}.",
            named("incident_type/name")
        ),
        "annotated" => format!("A **note** was added to {incident}{by}:"),
        "status_update_published" => {
            format!("A **status update** of {incident} was published{by}:")
        }
        "responder.added" => format!(
            "{} was asked to **respond** to {incident}{by}.",
            responder(data)
        ),
        "responder.replied" => {
            let reply = match data.at("state").str() {
                "" => "answered".to_owned(),
                state => bold(state),
            };
            format!(
                "{}: {reply}, request to respond to {incident}.",
                responder(data)
            )
        }
        "role.assigned" => format!(
            "{} has the role {} in {incident}{by}.",
            named("user/summary"),
            named("incident_role/summary")
        ),
        "role.unassigned" => format!(
            "{} no longer has the role {} in {incident}{by}.",
            named("user/summary"),
            named("incident_role/summary")
        ),
        "workflow.started" => format!(
            "The workflow {} of {incident} **started**.",
            named("incident_workflow/summary")
        ),
        "workflow.completed" => format!(
            "The workflow {} of {incident} was **completed**.",
            named("incident_workflow/summary")
        ),
        "conference_bridge.updated" => {
            format!("The **conference bridge** of {incident} was changed{by}.")
        }
        "custom_field_values.updated" => {
            format!("Fields of {incident} were changed{by}:\n{}", changed(data))
        }
        other => format!("{capital}: {}{by}.", bold(&other.replace('_', " "))),
    }
}

fn assigned(people: &str) -> String {
    if people.is_empty() {
        String::new()
    } else {
        format!(" and is assigned to {people}")
    }
}

fn responder(data: Node<'_>) -> String {
    bold(
        data.first(&["user/summary", "escalation_policy/summary"])
            .str(),
    )
}

/// People as links, separated by commas.
pub(super) fn people(list: Node<'_>) -> String {
    joined(list.list().take(20).map(person), ", ")
}

/// A person of any version: `summary`, or `name`, also inside of `object` or `assignee`.
pub(super) fn person(node: Node<'_>) -> String {
    let name = node
        .first(&["summary", "name", "object/name", "assignee/summary"])
        .str();
    let url = node
        .first(&["html_url", "object/html_url", "assignee/html_url"])
        .str();
    link(name, url)
}

fn changed(data: Node<'_>) -> String {
    let changed: Vec<&str> = data.at("changed_fields").list().map(Node::str).collect();
    let fields = data.at("custom_fields").list();
    let fields =
        fields.filter(|field| changed.is_empty() || changed.contains(&field.at("name").str()));
    let lines = fields.take(20).map(|field| {
        let name = field.first(&["display_name", "name"]).str();
        let values = field.at("value").list().map(Node::text);
        let value = joined(values.chain([field.at("value").text()]), ", ");
        format!("* {}: {}", bold(name), escape(&value))
    });
    joined(lines, "\n")
}

fn details(incident: Node<'_>) -> String {
    let label = |name: &str, path: &str| match incident.at(path).str() {
        "" => String::new(),
        value => format!("{name} {}", code(value)),
    };
    let service = link(
        incident.at("service/summary").str(),
        incident.at("service/html_url").str(),
    );
    let service = if service.is_empty() {
        service
    } else {
        format!("Service {service}")
    };
    let labels = [
        service,
        label("urgency", "urgency"),
        label("priority", "priority/summary"),
        label("reason", "resolve_reason/type"),
    ];
    joined(labels, " · ")
}

fn service(event: &'static str, kind: &str, body: Node<'_>) -> Message {
    let data = body.at("data");
    let service = if data.at("service").exists() {
        data.at("service")
    } else {
        data
    };
    let name = service.first(&["name", "summary"]).str();
    let who = escape(body.at("agent/summary").str());
    let by = if who.is_empty() {
        who
    } else {
        format!(" by {who}")
    };
    let shown = link(name, service.at("html_url").str());
    let said = match kind {
        "service.created" => format!("The service {shown} was **created**{by}."),
        "service.deleted" => format!("The service {shown} was **deleted**{by}."),
        "service.custom_field_values.updated" => format!(
            "Fields of the service {shown} were changed{by}:\n{}",
            changed(data)
        ),
        _ => format!("The service {shown} was **changed**{by}."),
    };
    Message::new(event, name, [&*said])
}
