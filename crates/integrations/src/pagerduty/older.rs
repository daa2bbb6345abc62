//! Webhooks of the versions 1 and 2, which have several messages in one call.

use crate::text::{bold, escape, joined, link, quote_plain};
use crate::{Message, Node};

use super::event::{people, person};

/// One message for all of a call, which are about one service.
pub(super) fn read(messages: Node<'_>) -> Option<Message> {
    let mut first: Option<(&'static str, String)> = None;
    let mut parts = Vec::new();
    for message in messages.list() {
        let (kind, incident) = match message.at("event").str() {
            "" => (message.at("type").str(), message.at("data/incident")),
            kind => (kind, message.at("incident")),
        };
        if !incident.exists() {
            continue;
        }
        let (event, topic, said) = one(kind, incident, message);
        first.get_or_insert((event, topic));
        parts.push(said);
    }
    let (event, topic) = first?;
    Some(Message::new(event, topic, [&*parts.join("\n\n")]))
}

fn one(kind: &str, incident: Node<'_>, message: Node<'_>) -> (&'static str, String, String) {
    let title = incident.first(&[
        "title",
        "trigger_summary_data/subject",
        "trigger_summary_data/description",
        "incident_key",
    ]);
    let name = format!("#{} {}", incident.at("incident_number").text(), title.str());
    let shown = format!(
        "Incident {}",
        link(name.trim(), incident.at("html_url").str())
    );
    let by = person(incident.first(&["resolved_by_user", "last_status_change_by"]));
    let by = match (
        by.is_empty(),
        incident.at("last_status_change_by/type").str(),
    ) {
        (true, _) | (_, "service_reference") => String::new(),
        _ => format!(" by {by}"),
    };
    let assigned = people(incident.first(&["assignments", "assigned_to"]));
    let to = if assigned.is_empty() {
        String::new()
    } else {
        format!(" to {assigned}")
    };
    // Version 2 says what happened in a line of its log.
    let log = joined(
        message
            .at("log_entries")
            .list()
            .map(|entry| escape(entry.at("summary").str())),
        "; ",
    );
    let (event, said) = match kind {
        "incident.trigger" => (
            "incident.triggered",
            format!("{shown} was **triggered**{}.", when(&assigned)),
        ),
        "incident.acknowledge" => (
            "incident.acknowledged",
            format!("{shown} was **acknowledged**{by}."),
        ),
        "incident.unacknowledge" => (
            "incident.unacknowledged",
            format!("{shown} is **no longer acknowledged**{}.", when(&assigned)),
        ),
        "incident.resolve" if by.is_empty() => (
            "incident.resolved",
            format!("{shown} was **resolved** automatically."),
        ),
        "incident.resolve" => (
            "incident.resolved",
            format!("{shown} was **resolved**{by}."),
        ),
        "incident.assign" => (
            "incident.reassigned",
            format!("{shown} was **assigned**{to}."),
        ),
        "incident.escalate" => (
            "incident.escalated",
            format!("{shown} was **escalated**{to}."),
        ),
        "incident.delegate" => (
            "incident.delegated",
            format!("{shown} was **delegated**{to}."),
        ),
        "incident.annotate" => (
            "incident.annotated",
            format!(
                "A **note** was added to {}:",
                shown.replacen("Incident", "incident", 1)
            ),
        ),
        other => {
            let name = other.strip_prefix("incident.").unwrap_or(other);
            let what = if log.is_empty() { bold(name) } else { log };
            ("", format!("{shown}: {what}."))
        }
    };
    let note = message
        .first(&[
            "log_entries/0/channel/summary",
            "log_entries/0/channel/content",
        ])
        .str();
    let note = if event == "incident.annotated" {
        quote_plain(note)
    } else {
        String::new()
    };
    let service = incident.at("service/name").str();
    let topic = match title.str() {
        "" => name.trim().to_owned(),
        title => title.to_owned(),
    };
    let service = match link(service, incident.at("service/html_url").str()) {
        service if service.is_empty() => service,
        service => format!("Service {service}"),
    };
    (event, topic, joined([said, note, service], "\n"))
}

fn when(assigned: &str) -> String {
    if assigned.is_empty() {
        String::new()
    } else {
        format!(" and is assigned to {assigned}")
    }
}
