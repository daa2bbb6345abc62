//! People of an export, and users who only occur in its messages.

use anyhow::{Result, bail};
use serde_json::Value;

use super::super::chat::{Chat, Person, PersonKind, role};
use super::super::json::{filled, flag, list, text};
use super::super::unzip::Unzip;
use super::{PEOPLE, SLACKBOT, each};

/// Takes the lists of people.
pub(super) fn read_people(zip: &mut Unzip, chat: &mut Chat) -> Result<()> {
    for name in PEOPLE {
        let Some(place) = zip.find(name) else {
            continue;
        };
        let is_list = each(zip, chat, place, "people", |chat, user| {
            let Some(id) = filled(user, "id") else {
                chat.notes.add("people without an id were left out", 1);
                return Ok(());
            };
            let number = chat.people.add(id, person(id, user))?;
            let profile = user.get("profile").unwrap_or(&Value::Null);
            if let Some(bot) = filled(profile, "bot_id") {
                chat.people.alias(bot.to_owned(), number)?;
            }
            Ok(())
        })?;
        // Without people, every sender would be a placeholder.
        if !is_list {
            bail!("{name} is not a list of people");
        }
    }
    Ok(())
}

/// An account as a list of people describes it.
fn person(id: &str, user: &Value) -> Person {
    let profile = user.get("profile").unwrap_or(&Value::Null);
    let is_bot = flag(user, "is_bot") || id == SLACKBOT;
    let kind = if is_bot {
        PersonKind::Bot
    } else {
        PersonKind::Human
    };
    let full_name = filled(profile, "real_name")
        .or_else(|| filled(user, "real_name"))
        .or_else(|| filled(profile, "display_name"))
        .unwrap_or_else(|| text(user, "name"));
    let handle = filled(user, "name").unwrap_or(id);
    Person {
        address: filled(profile, "email").map(str::to_owned),
        role: match () {
            () if is_bot => role::MEMBER,
            () if flag(user, "is_primary_owner") || flag(user, "is_owner") => role::OWNER,
            () if flag(user, "is_admin") => role::ADMINISTRATOR,
            () if flag(user, "is_restricted") || flag(user, "is_ultra_restricted") => role::GUEST,
            () => role::MEMBER,
        },
        is_active: !flag(user, "deleted"),
        timezone: filled(user, "tz").map(str::to_owned),
        ..Person::new(kind, full_name, handle)
    }
}

/// The account of an id, a placeholder if the archive does not list it. `profile`: the sender's
/// profile in a message.
pub(super) fn known(chat: &mut Chat, id: &str, profile: Option<&Value>) -> Result<i64> {
    if let Some(id) = chat.people.id(id) {
        return Ok(id);
    }
    let profile = profile.unwrap_or(&Value::Null);
    let name = filled(profile, "real_name")
        .or_else(|| filled(profile, "display_name"))
        .or_else(|| filled(profile, "name"));
    let (kind, name) = match name {
        _ if id == SLACKBOT => (PersonKind::Bot, "Slackbot".to_owned()),
        Some(name) => (PersonKind::Placeholder, name.to_owned()),
        None => (PersonKind::Placeholder, format!("Slack {id}")),
    };
    chat.notes.add(
        "people who are not among those of the archive became deactivated placeholders",
        u64::from(kind == PersonKind::Placeholder),
    );
    chat.people.add(id, Person::new(kind, &name, id))
}

/// People of a list of ids.
pub(super) fn members(chat: &mut Chat, conversation: &Value) -> Result<Vec<i64>> {
    let ids = list(conversation, "members")
        .iter()
        .filter_map(Value::as_str);
    ids.map(|id| known(chat, id, None)).collect()
}
