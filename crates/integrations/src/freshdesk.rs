//! Freshdesk: tickets that are created and changed, and notes on them, as an automation rule sends them.
//!
//! The rule's owner chooses the fields; `triggered_event` says what happened, as in `{status:{from:2,to:4}}`.

use crate::changes::{Change, capitalized, changed};
use crate::html::text_of;
use crate::text::{bold, escape, linked, quote};
use crate::{Call, Integration, Message, Node, Outcome};

pub(crate) static FRESHDESK: Integration = Integration {
    name: "freshdesk",
    display_name: "Freshdesk",
    setup: "Admin > Workflows > Automations > New rule > Trigger webhook\n\
            Request type: POST\n\
            URL: ADDRESS\n\
            Encoding: JSON\n\
            Content: Simple, Ticket ID, Subject, Description, Status, Priority, URL, Requester, Triggered event",
    events: &[
        "note_created",
        "priority_changed",
        "status_changed",
        "ticket_created",
        "ticket_updated",
    ],
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let wrapped = call.node().at("freshdesk_webhook");
    let ticket = if wrapped.exists() {
        wrapped
    } else {
        call.node()
    };
    let id = ticket.first(&["ticket_id", "id"]).text();
    let subject = ticket.first(&["ticket_subject", "subject"]).str();
    if id.is_empty() || subject.is_empty() {
        return Outcome::Unknown;
    }
    let name = linked(
        &format!("#{} {}", escape(&id), escape(subject)),
        ticket.first(&["ticket_url", "url"]).str(),
    );
    let name = format!("ticket {name}");
    let topic = format!("#{id} {subject}");
    let fired = ticket.at("triggered_event").str();
    let fired = fired.trim_matches(['{', '}']);
    let (field, value) = fired.split_once(':').unwrap_or_default();
    let (event, said, text) = match (field, value) {
        ("ticket_action", "created") => {
            let who = person(ticket);
            let text = ticket.first(&["ticket_description", "description"]).str();
            ("ticket_created", format!("{who} created {name}."), text)
        }
        ("note_type", kind) => {
            let kind = escape(kind);
            // Freshdesk sends the description of the ticket, unless the rule also names the note.
            let text = ticket
                .first(&["note", "ticket_latest_public_comment"])
                .str();
            let end = if text.is_empty() { "." } else { ":" };
            (
                "note_created",
                format!("A {kind} note was added to {name}{end}"),
                text,
            )
        }
        ("status", change) => {
            let change = moved("status", change, status, ticket.at("ticket_status").str());
            ("status_changed", changed("", &name, &[change]), "")
        }
        ("priority", change) => {
            let change = moved(
                "priority",
                change,
                priority,
                ticket.at("ticket_priority").str(),
            );
            ("priority_changed", changed("", &name, &[change]), "")
        }
        _ => ("ticket_updated", changed("", &name, &[]), ""),
    };
    let details = details(ticket);
    Message::new(event, topic, [&*said, &*details, &*quote(&text_of(text))]).into()
}

fn person(ticket: Node<'_>) -> String {
    let requester = ticket
        .first(&["requester_name", "ticket_requester_name"])
        .str();
    let address = ticket
        .first(&["requester_email", "ticket_requester_email"])
        .str();
    match (requester, address) {
        ("", "") => "An unnamed person".to_owned(),
        (name, "") | ("", name) => escape(name),
        (name, address) => format!("{} ({})", escape(name), escape(address)),
    }
}

/// A change of a field whose values are numbers: `from:2,to:4`. Values of the account's own are named by the ticket.
fn moved(field: &str, change: &str, name: fn(&str) -> Option<&'static str>, now: &str) -> Change {
    let change = change.trim_matches(['{', '}']);
    let value = |side: &str| {
        let found = change
            .split(',')
            .find_map(|part| part.trim().strip_prefix(side));
        found.unwrap_or_default().trim()
    };
    let (from, to) = (value("from:"), value("to:"));
    let to = name(to).unwrap_or(if now.is_empty() { to } else { now });
    Change::value(field, name(from).unwrap_or_default(), to)
}

fn status(number: &str) -> Option<&'static str> {
    Some(match number {
        "2" => "Open",
        "3" => "Pending",
        "4" => "Resolved",
        "5" => "Closed",
        "6" => "Waiting on Customer",
        "7" => "Waiting on Third Party",
        _ => return None,
    })
}

fn priority(number: &str) -> Option<&'static str> {
    Some(match number {
        "1" => "Low",
        "2" => "Medium",
        "3" => "High",
        "4" => "Urgent",
        _ => return None,
    })
}

fn details(ticket: Node<'_>) -> String {
    let of = |label: &str, paths: &[&str]| match ticket.first(paths).str() {
        "" => None,
        value => Some(format!("{label}: {}", bold(value))),
    };
    let parts = [
        of("type", &["ticket_type", "type"]),
        of("priority", &["ticket_priority", "priority"]),
        of("status", &["ticket_status", "status"]),
        of("agent", &["ticket_agent_name", "agent_name"]),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    capitalized(&parts.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::FRESHDESK;
    use crate::Message;
    use crate::testing::message;

    fn said(event: &str, more: &Value) -> Message {
        let mut ticket = json!({"triggered_event": event, "ticket_id": "7", "ticket_subject": "No *mail*",
            "ticket_url": "https://x.freshdesk.com/t/7", "ticket_description": "<p>Help @**all**</p>",
            "ticket_status": "Broken", "ticket_priority": "Low", "requester_name": "Ann",
            "requester_email": "ann@example.com"});
        for (name, value) in more.as_object().into_iter().flatten() {
            ticket[name] = value.clone();
        }
        message(&FRESHDESK, &[], &json!({"freshdesk_webhook": ticket}))
    }

    #[test]
    fn tickets_are_created_and_change() {
        let ticket = "icket [#7 No &#42;mail&#42;](https://x.freshdesk.com/t/7)";
        let details = "Priority: **Low**, status: **Broken**";
        for (event, first, rest) in [
            (
                "{ticket_action:created}",
                format!("Ann (ann@example.com) created t{ticket}."),
                "\n```quote\nHelp &#64;**all**\n```",
            ),
            (
                "{note_type:public}",
                format!("A public note was added to t{ticket}."),
                "",
            ),
            (
                "{status:{from:2,to:4}}",
                format!("T{ticket} moved from Open to **Resolved**."),
                "",
            ),
            (
                "{status:{from:2,to:12}}",
                format!("T{ticket} moved from Open to **Broken**."),
                "",
            ),
            (
                "{priority:{from:4,to:1}}",
                format!("The priority of t{ticket} changed from Urgent to **Low**."),
                "",
            ),
            ("", format!("T{ticket} was updated."), ""),
        ] {
            let said = said(event, &json!({}));
            assert_eq!(said.topic, "#7 No *mail*");
            assert_eq!(said.content, format!("{first}\n{details}{rest}"));
        }
    }

    #[test]
    fn notes_are_quoted_if_the_rule_names_them() {
        let said = said(
            "{note_type:private}",
            &json!({"note": "<div>Ask them</div>"}),
        );
        assert!(
            said.content.ends_with("```quote\nAsk them\n```"),
            "{}",
            said.content
        );
        assert_eq!(said.event, "note_created");
    }
}
