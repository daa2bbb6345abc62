//! Intercom: conversations, tickets, contacts, companies, tags and events.
//!
//! Both the calls of today and those of before 2019 (`user`, `lead`) are understood. Intercom signs with HMAC-SHA1
//! (`x-hub-signature`), which is not checked. Left out: conversations that are marked as read.

mod contact;
mod conversation;

use crate::text::{bold, code, escape};
use crate::{Call, Integration, Message, Node, Outcome};

const EVENTS: &[&str] = &[
    "company.created",
    "company.deleted",
    "company.updated",
    "contact.added_email",
    "contact.archived",
    "contact.created",
    "contact.deleted",
    "contact.email.updated",
    "contact.lead.added_email",
    "contact.lead.created",
    "contact.lead.signed_up",
    "contact.lead.tag.created",
    "contact.lead.tag.deleted",
    "contact.lead.updated",
    "contact.merged",
    "contact.signed_up",
    "contact.subscribed",
    "contact.tag.created",
    "contact.tag.deleted",
    "contact.unarchive",
    "contact.unsubscribed",
    "contact.updated",
    "contact.user.created",
    "contact.user.tag.created",
    "contact.user.tag.deleted",
    "contact.user.updated",
    "conversation.admin.assigned",
    "conversation.admin.closed",
    "conversation.admin.noted",
    "conversation.admin.open.assigned",
    "conversation.admin.opened",
    "conversation.admin.replied",
    "conversation.admin.single.created",
    "conversation.admin.snoozed",
    "conversation.admin.unsnoozed",
    "conversation.deleted",
    "conversation.priority.updated",
    "conversation.rating.added",
    "conversation.rating.remarked",
    "conversation.user.created",
    "conversation.user.replied",
    "conversation_part.tag.created",
    "event.created",
    "other",
    "ping",
    "ticket.admin.assigned",
    "ticket.admin.replied",
    "ticket.attribute.updated",
    "ticket.closed",
    "ticket.contact.replied",
    "ticket.created",
    "ticket.note.created",
    "ticket.rating.provided",
    "ticket.state.updated",
    "ticket.team.assigned",
    "user.created",
    "user.deleted",
    "user.email.updated",
    "user.tag.created",
    "user.tag.deleted",
    "user.unsubscribed",
    "visitor.signed_up",
];

pub(crate) static INTERCOM: Integration = Integration {
    name: "intercom",
    display_name: "Intercom",
    setup: "Developer Hub > App > Configure > Webhooks\n\
            Endpoint URL: ADDRESS",
    events: EVENTS,
    url_options: &[],
    proof: None,
    delivery_header: None,
    read,
};

fn read(call: &Call<'_>) -> Outcome {
    let body = call.node();
    let (kind, item) = (body.at("topic").str(), body.at("data/item"));
    if kind.is_empty() || !item.exists() {
        return Outcome::Unknown;
    }
    let event = EVENTS.iter().copied().find(|known| *known == kind);
    let event = event.unwrap_or("other");
    match kind.split('.').next().unwrap_or_default() {
        "ping" => {
            let said = "Intercom sent a test; the webhook works.";
            Message::new(event, "Intercom", [said]).into()
        }
        _ if kind == "conversation.read" => Outcome::Ignored,
        "conversation" | "conversation_part" => conversation::read(event, kind, item),
        "ticket" => conversation::ticket(event, kind, item),
        "event" => {
            let who = escape(contact::name(item));
            let said = format!(
                "{who} triggered the event {}.",
                code(item.at("event_name").str())
            );
            Message::new(event, "Events", [&*said]).into()
        }
        "company" | "contact" | "user" | "visitor" => contact::read(event, kind, item),
        _ => other(event, kind, "Intercom", &bold(contact::name(item))),
    }
}

/// A message about a kind that is not known.
fn other(event: &'static str, kind: &str, topic: &str, thing: &str) -> Outcome {
    let said = format!("Intercom reported {} for {thing}.", code(kind));
    Message::new(event, topic, [&*said]).into()
}

/// The last part of a conversation, which is what a call is about.
fn part(item: Node<'_>) -> Node<'_> {
    let parts = item.first(&[
        "conversation_parts/conversation_parts",
        "ticket_parts/ticket_parts",
    ]);
    let last = parts.list().next_back();
    last.unwrap_or(item.first(&["ticket_part", "conversation_part"]))
}
