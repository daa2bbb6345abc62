//! Conversations and tickets.

use super::{contact, other, part};
use crate::html::text_of;
use crate::text::{bold, escape, linked, quote};
use crate::{Message, Node, Outcome};

/// The contact of a conversation.
fn customer(item: Node<'_>) -> &str {
    let user = item.first(&["user", "contacts/contacts/0"]);
    let author = item.at("source/author");
    let is_customer = !["admin", "bot", "team", ""].contains(&author.at("type").str());
    if user.first(&["name", "email"]).exists() || !is_customer {
        contact::name(user)
    } else {
        contact::name(author)
    }
}

/// The name of the teammate who acts, which may only stand with the assignee.
fn teammate(item: Node<'_>) -> String {
    let author = part(item).at("author");
    if !author.at("name").str().is_empty() {
        return escape(author.at("name").str());
    }
    let first = item.first(&["conversation_message/author", "source/author"]);
    let assignee = item.first(&["assignee", "admin_assignee"]);
    let is_same = first.at("id").exists() && first.at("id") == assignee.at("id");
    let name = match first.at("name").str() {
        "" if is_same => assignee.at("name").str(),
        name => name,
    };
    if name.is_empty() {
        "A teammate".to_owned()
    } else {
        escape(name)
    }
}

pub(super) fn read(event: &'static str, kind: &str, item: Node<'_>) -> Outcome {
    let (customer, teammate) = (customer(item), teammate(item));
    let url = item.first(&["links/conversation_web", "url"]).str();
    let conversation = linked("conversation", url);
    let with = format!("{conversation} with {}", bold(customer));
    let opening = item.first(&["conversation_message", "source"]);
    let last = part(item).at("body").str();
    let (said, text) = match kind {
        "conversation.user.created" => {
            let text = opening.at("body").str();
            (
                format!("{} started a {conversation}:", bold(customer)),
                text,
            )
        }
        "conversation.user.replied" => (
            format!("{} replied in the {conversation}:", bold(customer)),
            last,
        ),
        "conversation.admin.single.created" => {
            let text = opening.at("body").str();
            (format!("{teammate} started a {with}:"), text)
        }
        "conversation.admin.replied" => (format!("{teammate} replied in the {with}:"), last),
        "conversation.admin.noted" => (format!("{teammate} added a note to the {with}:"), last),
        "conversation.admin.assigned" | "conversation.admin.open.assigned" => {
            let assignee = part(item).at("assigned_to/name");
            let assignee = match assignee.str() {
                "" => item.first(&["assignee/name", "admin_assignee/name"]).str(),
                name => name,
            };
            let said = if assignee.is_empty() {
                format!("{teammate} unassigned the {with}.")
            } else {
                format!("{teammate} assigned the {with} to {}.", bold(assignee))
            };
            (said, last)
        }
        "conversation.admin.closed" => (format!("{teammate} closed the {with}."), last),
        "conversation.admin.opened" => (format!("{teammate} reopened the {with}."), last),
        "conversation.admin.snoozed" => (format!("{teammate} snoozed the {with}."), last),
        "conversation.admin.unsnoozed" => (format!("{teammate} unsnoozed the {with}."), last),
        "conversation.deleted" => (
            format!("The conversation with {} was deleted.", bold(customer)),
            "",
        ),
        "conversation.priority.updated" => {
            let priority = bold(item.at("priority").str());
            (format!("The priority of the {with} is now {priority}."), "")
        }
        "conversation.rating.added" | "conversation.rating.remarked" => {
            let rating = item.at("conversation_rating/rating").text();
            let said = format!(
                "{} rated the {conversation} {} of 5.",
                bold(customer),
                bold(&rating)
            );
            (said, item.at("conversation_rating/remark").str())
        }
        "conversation_part.tag.created" => {
            let tags = item.first(&["tags_added/tags", "tags/tags"]).list();
            let names: Vec<String> = tags.map(|tag| bold(tag.at("name").str())).collect();
            let noun = if names.len() == 1 { "tag" } else { "tags" };
            let verb = if names.len() == 1 { "was" } else { "were" };
            let said = format!(
                "The {noun} {} {verb} added in the {with}:",
                names.join(", ")
            );
            (said, last)
        }
        _ => return other(event, kind, &topic(customer), &format!("the {with}")),
    };
    Message::new(event, topic(customer), [&*said, &*quote(&text_of(text))]).into()
}

fn topic(customer: &str) -> String {
    format!("Conversation with {customer}")
}

pub(super) fn ticket(event: &'static str, kind: &str, item: Node<'_>) -> Outcome {
    let ticket = item.first(&["ticket"]);
    let ticket = if ticket.exists() { ticket } else { item };
    let title = ticket
        .first(&["ticket_attributes/_default_title_", "title"])
        .str();
    let number = ticket.first(&["ticket_id", "id"]).text();
    let name = format!("ticket #{} {}", escape(&number), bold(title));
    let name = name.trim_end();
    let last = part(item);
    let who = match last.at("author/name").str() {
        "" => "An unnamed person".to_owned(),
        name => escape(name),
    };
    let (said, text) = match kind {
        "ticket.created" => {
            let text = ticket.at("ticket_attributes/_default_description_").str();
            (format!("A {name} was created."), text)
        }
        "ticket.closed" => (format!("The {name} was closed."), ""),
        "ticket.state.updated" => {
            let state = ticket.first(&[
                "ticket_state_internal_label",
                "ticket_state/internal_label",
                "ticket_state",
            ]);
            (format!("The {name} is now {}.", bold(state.str())), "")
        }
        "ticket.admin.replied" | "ticket.contact.replied" => {
            (format!("{who} replied to {name}:"), last.at("body").str())
        }
        "ticket.note.created" => (
            format!("{who} added a note to {name}:"),
            last.at("body").str(),
        ),
        "ticket.attribute.updated" => (format!("{who} changed {name}."), ""),
        "ticket.admin.assigned" | "ticket.team.assigned" => {
            let assignee = last.first(&["assigned_to/name", "updated_attribute_data/value/label"]);
            match assignee.str() {
                "" => (format!("{who} changed the assignee of {name}."), ""),
                to => (format!("{who} assigned {name} to {}.", bold(to)), ""),
            }
        }
        _ => return other(event, kind, "Tickets", name),
    };
    let topic = format!("Ticket #{number} {title}");
    Message::new(event, topic, [&*said, &*quote(&text_of(text))]).into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::intercom::INTERCOM;
    use crate::testing::message;
    use crate::{Message, Outcome};

    fn said(kind: &str, item: &Value) -> Message {
        message(
            &INTERCOM,
            &[],
            &json!({"topic": kind, "data": {"item": item}}),
        )
    }

    fn conversation(part: &Value) -> Value {
        json!({"user": {"name": "Ann @**all**"}, "assignee": {"id": "7", "name": "Bo"},
            "conversation_message": {"body": "<p>Hi &amp; bye</p>", "author": {"id": "7"}},
            "conversation_parts": {"conversation_parts": [part]},
            "links": {"conversation_web": "https://app.intercom.com/c/1"}})
    }

    const LINK: &str = "[conversation](https://app.intercom.com/c/1)";
    const ANN: &str = "**Ann @&#42;&#42;all&#42;&#42;**";

    #[test]
    fn conversations_are_quoted() {
        let none = conversation(&json!({}));
        let part = conversation(&json!({"author": {"name": "Bo"}, "body": "<p>Sure</p>"}));
        for (kind, item, expected) in [
            (
                "conversation.user.created",
                &none,
                format!("{ANN} started a {LINK}:\n```quote\nHi & bye\n```"),
            ),
            (
                "conversation.admin.single.created",
                &none,
                format!("Bo started a {LINK} with {ANN}:\n```quote\nHi & bye\n```"),
            ),
            (
                "conversation.admin.replied",
                &part,
                format!("Bo replied in the {LINK} with {ANN}:\n```quote\nSure\n```"),
            ),
            (
                "conversation.admin.closed",
                &none,
                format!("Bo closed the {LINK} with {ANN}."),
            ),
            (
                "conversation.admin.assigned",
                &none,
                format!("Bo assigned the {LINK} with {ANN} to **Bo**."),
            ),
        ] {
            let said = said(kind, item);
            assert_eq!(said.topic, "Conversation with Ann @**all**");
            assert_eq!(said.content, expected);
        }
    }

    #[test]
    fn calls_of_today_name_the_contact_in_the_source() {
        let item = json!({"source": {"body": "Hi", "author": {"type": "user", "name": "Ann"}},
            "contacts": {"contacts": [{"id": "1"}]}});
        let said = said("conversation.user.created", &item);
        assert_eq!(said.topic, "Conversation with Ann");
        assert_eq!(
            said.content,
            "**Ann** started a conversation:\n```quote\nHi\n```"
        );
    }

    #[test]
    fn tickets_have_a_number() {
        let item = json!({"ticket": {"ticket_id": "12", "ticket_attributes": {"_default_title_": "No mail"},
            "ticket_state_internal_label": "Resolved"}});
        let said = said("ticket.state.updated", &item);
        assert_eq!(said.topic, "Ticket #12 No mail");
        assert_eq!(
            said.content,
            "The ticket #12 **No mail** is now **Resolved**."
        );
    }

    #[test]
    fn reading_is_no_news() {
        let body =
            json!({"topic": "conversation.read", "data": {"item": conversation(&json!({}))}});
        let outcome = crate::testing::outcome(&INTERCOM, &[], &body);
        assert_eq!(outcome, Outcome::Ignored);
    }
}
