//! Exports of Slack: a zip with lists of people and conversations, and a folder for each conversation with
//! a file for each day.
//!
//! Owns the meaning of the files of such an archive. People, conversations and the list of files
//! come first; messages are then read file by file, a message at a time. It must not convert rows.

mod attachments;
mod markup;
mod message;
mod subtypes;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use super::chat::{Channel, Chat, Member, Person, PersonKind, role};
use super::json::{each_element, filled, flag, list, seconds, text};
use super::unzip::Unzip;
use crate::progress::{Progress, Unit};
use markup::Markup;

/// Data that is never imported, each with the reason.
pub(super) const LEAVES_OUT: &[(&str, &str)] = &[
    (
        "passwords and tokens",
        "an export has none, and must not open accounts; issue new ones",
    ),
    (
        "files that only Slack has",
        "an export names them without their content; messages keep links to them, without the token of \
         the export, which would open every file to every reader",
    ),
    (
        "notices (who joined, left, renamed, pinned), reminders, calls",
        "they are notices of the system; their changes are already in the data",
    ),
    (
        "pictures of people, custom emoji",
        "an export names them without their content, unless a tool has added it",
    ),
    (
        "groups of people, workflows, canvases, lists, pins, drafts, what was read and starred",
        "an export does not hold them, or this server has no such thing; everything counts as read",
    ),
    (
        "former texts of messages that were edited",
        "an export does not hold them; the time of the last change stays",
    ),
];

/// Lists of people: that of a workspace, and that of an Enterprise Grid.
const PEOPLE: [&str; 2] = ["users.json", "org_users.json"];
/// Lists of conversations.
const CHANNELS: &str = "channels.json";
const PRIVATE: &str = "groups.json";
const DIRECT: [&str; 2] = ["dms.json", "mpims.json"];
/// Slack itself, as a sender.
const SLACKBOT: &str = "USLACKBOT";
/// The text between the name of the workspace and the dates in the name of the file.
const IN_FILE_NAME: &str = " Slack export ";

/// Whether this archive is an export of Slack.
pub(super) fn is_one(zip: &Unzip) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| zip.find(name).is_some());
    has(&PEOPLE) && (has(&[CHANNELS, PRIVATE]) || has(&DIRECT))
}

/// The conversation of the messages in a folder.
#[derive(Debug, Clone)]
enum Folder {
    Channel(u32),
    /// A direct conversation of these people.
    Direct(Vec<i64>),
}

/// An export as far as it is known before its messages are read.
#[derive(Debug, Default)]
struct Export {
    /// Channels by their id in Slack.
    channels: HashMap<String, u32>,
    /// Conversations by the name of their folder.
    folders: HashMap<String, Folder>,
    /// Places of files in the archive, by their id in Slack.
    files: HashMap<String, usize>,
    /// Places of the files of messages, by folder, in the order of days.
    days: BTreeMap<String, Vec<usize>>,
    /// Members of direct conversations, of all together.
    members: usize,
}

/// Reads an export into `chat`.
pub(super) fn read(
    zip: &mut Unzip,
    path: &Path,
    chat: &mut Chat,
    progress: &Progress,
) -> Result<()> {
    if let Some(name) = workspace(path) {
        chat.name = name;
    }
    let mut export = Export::default();
    read_people(zip, chat)?;
    export.channels(zip, chat)?;
    export.direct(zip, chat)?;
    export.index(zip, chat)?;
    export.messages(zip, chat, progress)
}

/// The name of the workspace, as Slack writes it into the name of the file.
fn workspace(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let (name, _) = stem.split_once(IN_FILE_NAME)?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn read_people(zip: &mut Unzip, chat: &mut Chat) -> Result<()> {
    let most = chat.bounds.element_bytes;
    for name in PEOPLE {
        let Some(place) = zip.find(name) else {
            continue;
        };
        zip.read(place, |content| {
            each_element(content, most, |user| {
                let Some(id) = filled(&user, "id") else {
                    chat.notes.add("people without an id were left out", 1);
                    return Ok(());
                };
                let number = chat.people.add(id, person(id, &user))?;
                let profile = user.get("profile").unwrap_or(&Value::Null);
                if let Some(bot) = filled(profile, "bot_id") {
                    chat.people.alias(bot.to_owned(), number)?;
                }
                Ok(())
            })
        })?;
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
fn known(chat: &mut Chat, id: &str, profile: Option<&Value>) -> Result<i64> {
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
fn members(chat: &mut Chat, conversation: &Value) -> Result<Vec<i64>> {
    let ids = list(conversation, "members")
        .iter()
        .filter_map(Value::as_str);
    ids.map(|id| known(chat, id, None)).collect()
}

impl Export {
    fn channels(&mut self, zip: &mut Unzip, chat: &mut Chat) -> Result<()> {
        let most = chat.bounds.element_bytes;
        let mut descriptions = Vec::new();
        for (file, is_private) in [(CHANNELS, false), (PRIVATE, true)] {
            let Some(place) = zip.find(file) else {
                continue;
            };
            zip.read(place, |content| {
                each_element(content, most, |channel| {
                    let name = filled(&channel, "name").unwrap_or_else(|| text(&channel, "id"));
                    let creator = filled(&channel, "creator").and_then(|id| chat.people.id(id));
                    let members = members(chat, &channel)?;
                    let created = seconds(&channel, "created");
                    if let Some(created) = created.filter(|created| *created > 0) {
                        chat.created = Some(chat.created.map_or(created, |it| it.min(created)));
                    }
                    let index = chat.channels.add(Channel {
                        name: name.to_owned(),
                        is_private,
                        is_archived: flag(&channel, "is_archived"),
                        is_default: flag(&channel, "is_general"),
                        created,
                        creator,
                        members: members.into_iter().map(Member::plain).collect(),
                        ..Channel::default()
                    })?;
                    let of = |field: &str| channel.get(field).and_then(|it| filled(it, "value"));
                    if let Some(description) = of("purpose").or_else(|| of("topic")) {
                        chat.channels.keep([description])?;
                        descriptions.push((index, description.to_owned()));
                    }
                    self.folder(chat, &channel, &Folder::Channel(index))?;
                    self.channels.insert(text(&channel, "id").to_owned(), index);
                    Ok(())
                })
            })?;
        }
        // They may name channels that come later.
        for (index, description) in descriptions {
            let description = self.markup(chat).convert(&description).content;
            chat.channels.describe(index, &description);
        }
        Ok(())
    }

    fn direct(&mut self, zip: &mut Unzip, chat: &mut Chat) -> Result<()> {
        let most = chat.bounds.element_bytes;
        for file in DIRECT {
            let Some(place) = zip.find(file) else {
                continue;
            };
            zip.read(place, |content| {
                each_element(content, most, |conversation| {
                    let members = members(chat, &conversation)?;
                    self.members += members.len();
                    let most = chat.bounds.memberships;
                    if self.members > most {
                        bail!("the archive holds more than {most} memberships");
                    }
                    if members.is_empty() {
                        chat.notes
                            .add("direct conversations without members were left out", 1);
                        return Ok(());
                    }
                    self.folder(chat, &conversation, &Folder::Direct(members))
                })
            })?;
        }
        Ok(())
    }

    /// Notes the folders that the messages of a conversation may lie in: Slack names them by the name of a
    /// channel and by the id of a direct conversation, some tools name all by the id.
    fn folder(&mut self, chat: &mut Chat, conversation: &Value, folder: &Folder) -> Result<()> {
        for field in ["name", "id"] {
            if let Some(name) = filled(conversation, field) {
                chat.channels.keep([name])?;
                self.folders
                    .entry(name.to_owned())
                    .or_insert_with(|| folder.clone());
            }
        }
        Ok(())
    }

    /// Looks through the list of files.
    fn index(&mut self, zip: &Unzip, chat: &mut Chat) -> Result<()> {
        for (place, entry) in zip.entries().iter().enumerate() {
            let parts: Vec<&str> = entry.path.split('/').collect();
            match parts.as_slice() {
                // The folder in which tools store the files that an export lacks.
                ["__uploads", id, _] => {
                    self.files.insert((*id).to_owned(), place);
                }
                ["attachments", name] | [_, "attachments", name] => {
                    if let Some((id, _)) = name.split_once('-') {
                        self.files.insert(id.to_owned(), place);
                    }
                }
                ["__avatars", id, _] => {
                    if let Some(person) = chat.people.id(id).and_then(|id| chat.people.get_mut(id))
                    {
                        person.picture = Some(place);
                    }
                }
                ["emoji" | "emojis" | "__emoji", name] => {
                    if let Some((name, "png" | "gif" | "jpg" | "jpeg")) = name.rsplit_once('.') {
                        chat.emoji(name, Some(place))?;
                    }
                }
                [folder, file] if is_day(file) => {
                    if self.folders.contains_key(*folder) {
                        let days = self.days.entry((*folder).to_owned()).or_default();
                        days.push(place);
                    } else {
                        let note = "files of messages of conversations that are not in the archive were \
                                    left out";
                        chat.notes.add(note, 1);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn messages(&self, zip: &mut Unzip, chat: &mut Chat, progress: &Progress) -> Result<()> {
        let sizes = self.days.values().flatten().filter_map(|place| {
            let entry = zip.entries().get(*place)?;
            Some(entry.size)
        });
        let total = sizes.fold(0, u64::saturating_add);
        progress.step("reading the archive", Unit::Bytes, total);
        let most = chat.bounds.element_bytes;
        for (name, days) in &self.days {
            let Some(folder) = self.folders.get(name) else {
                continue;
            };
            for place in days {
                let size = zip.entries().get(*place).map_or(0, |entry| entry.size);
                zip.read(*place, |content| {
                    each_element(content, most, |message| {
                        self.message(chat, folder, &message)
                    })
                })?;
                progress.add(size);
            }
        }
        Ok(())
    }

    const fn markup<'c>(&'c self, chat: &'c Chat) -> Markup<'c> {
        Markup {
            chat,
            channels: &self.channels,
        }
    }
}

/// Whether this is the name of a file with the messages of a day.
fn is_day(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(|day| {
        let bytes = day.as_bytes();
        bytes.len() == 10
            && bytes.iter().enumerate().all(|(index, byte)| match index {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    })
}

#[cfg(test)]
mod tests;
