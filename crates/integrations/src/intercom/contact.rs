//! People, companies and their tags.

use super::other;
use crate::changes::capitalized;
use crate::text::{bold, escape};
use crate::{Message, Node, Outcome};

/// How a contact is called: visitors without a name have a pseudonym.
pub(super) fn name(contact: Node<'_>) -> &str {
    let paths = ["name", "email", "pseudonym", "phone", "user_id", "id"];
    match contact.first(&paths).str() {
        "" => "A contact",
        name => name,
    }
}

/// A contact with an address.
fn described(contact: Node<'_>) -> String {
    let (name, email) = (name(contact), contact.at("email").str());
    if email.is_empty() || email == name {
        bold(name)
    } else {
        format!("{} ({})", bold(name), escape(email))
    }
}

pub(super) fn read(event: &'static str, kind: &str, item: Node<'_>) -> Outcome {
    let noun = match kind.split('.').next().unwrap_or_default() {
        "user" => "user",
        "company" => "company",
        "visitor" => "visitor",
        _ if kind.starts_with("contact.lead.") => "lead",
        _ if kind.starts_with("contact.user.") => "user",
        _ => "contact",
    };
    // A tag comes with the contact inside.
    let contact = item.first(&["user", "contact"]);
    let contact = if contact.exists() { contact } else { item };
    let thing = format!("{noun} {}", described(contact));
    let tag = bold(item.at("tag/name").str());
    let said = match kind.rsplit('.').next().unwrap_or_default() {
        _ if kind.ends_with(".tag.created") => format!("The tag {tag} was added to {thing}."),
        _ if kind.ends_with(".tag.deleted") => format!("The tag {tag} was removed from {thing}."),
        _ if kind.ends_with(".email.updated") => {
            let (thing, address) = unaddressed(noun, contact);
            format!("The email address of {thing} is now {address}.")
        }
        "added_email" => {
            let (thing, address) = unaddressed(noun, contact);
            format!("The email address {address} was added to {thing}.")
        }
        "created" => format!("{} was created{}.", capitalized(&thing), companies(contact)),
        "deleted" => format!("{} was deleted.", capitalized(&thing)),
        "updated" => format!("{} was updated.", capitalized(&thing)),
        "archived" => format!("{} was archived.", capitalized(&thing)),
        "unarchive" => format!("{} was restored.", capitalized(&thing)),
        "merged" => format!("{} was merged with another.", capitalized(&thing)),
        "subscribed" => format!("{} subscribed to emails.", capitalized(&thing)),
        "signed_up" => format!("{} signed up.", capitalized(&thing)),
        "unsubscribed" => format!("{} unsubscribed from emails.", capitalized(&thing)),
        _ => return other(event, kind, "Contacts", &thing),
    };
    let topic = if noun == "company" {
        "Companies"
    } else {
        "Contacts"
    };
    Message::new(event, topic, [&*said]).into()
}

/// A contact without its address, and the address.
fn unaddressed(noun: &str, contact: Node<'_>) -> (String, String) {
    let name = match contact.first(&["name", "pseudonym", "user_id"]).str() {
        "" => "without a name".to_owned(),
        name => bold(name),
    };
    (format!("{noun} {name}"), bold(contact.at("email").str()))
}

/// The companies of a contact.
fn companies(contact: Node<'_>) -> String {
    let companies = contact.at("companies/companies").list();
    let names: Vec<&str> = companies.map(|company| company.at("name").str()).collect();
    let names = names.join(", ");
    if names.is_empty() {
        names
    } else {
        format!(" at {}", bold(&names))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::intercom::INTERCOM;
    use crate::testing::message;

    #[test]
    fn contacts_and_tags() {
        let ann = json!({"name": "Ann *x*", "email": "ann@example.com", "companies": {"companies": [{"name": "A_B"}]}});
        for (kind, item, expected) in [
            (
                "user.created",
                ann.clone(),
                "User **Ann &#42;x&#42;** (ann@example.com) was created at **A_B**.",
            ),
            (
                "contact.lead.created",
                json!({"pseudonym": "Red Car"}),
                "Lead **Red Car** was created.",
            ),
            (
                "user.tag.deleted",
                json!({"user": ann, "tag": {"name": "vip"}}),
                "The tag **vip** was removed from user **Ann &#42;x&#42;** (ann@example.com).",
            ),
            (
                "contact.added_email",
                json!({"pseudonym": "Red Car", "email": "ann@example.com"}),
                "The email address **ann@example.com** was added to contact **Red Car**.",
            ),
            (
                "company.strange",
                json!({"name": "A_B"}),
                "Intercom reported `company.strange` for company **A_B**.",
            ),
            (
                "event.created",
                json!({"event_name": "invited", "email": "ann@example.com"}),
                "ann@example.com triggered the event `invited`.",
            ),
        ] {
            let body = json!({"topic": kind, "data": {"item": item}});
            assert_eq!(message(&INTERCOM, &[], &body).content, expected);
        }
    }
}
