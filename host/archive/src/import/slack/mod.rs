//! Exports of Slack: a zip with lists of people and conversations, and a folder for each conversation with
//! files of its messages, one for each day as a rule.
//!
//! Owns the meaning of the files of such an archive. People, conversations and the list of files
//! come first; messages are then read file by file, a message at a time. It must not convert rows.

mod attachments;
mod blocks;
mod markup;
mod message;
mod people;
mod places;
mod rich_text;
mod subtypes;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use super::chat::{Channel, Chat, Member};
use super::foreign::each_element;
use super::json::{filled, flag, seconds, text};
use super::unzip::Unzip;
use markup::Markup;
use people::{known, members, read_people};
use spindle_system::progress::{Progress, Unit};

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

/// Lists of people: a workspace's, and an Enterprise Grid's.
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

/// The part of an export that is known before its messages are read.
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

/// Hands every element of a list to `visit`, and notes what of the file could not be read; `what`: its elements. Returns
/// whether it is a list.
fn each(
    zip: &mut Unzip,
    chat: &mut Chat,
    place: usize,
    what: &str,
    mut visit: impl FnMut(&mut Chat, &Value) -> Result<()>,
) -> Result<bool> {
    let most = chat.bounds.element_bytes;
    let unread = zip.read(place, |content| {
        each_element(content, most, |element| visit(chat, &element))
    })?;
    let notes = [
        (
            format!("{what} that are not valid JSON were left out"),
            unread.elements,
        ),
        (
            format!("texts of {what} lost characters that are not valid"),
            unread.mended,
        ),
        (
            format!("files of {what} that are not lists were left out"),
            unread.is_other.into(),
        ),
        (
            format!("files of {what} end too early: their rest was left out"),
            unread.is_cut.into(),
        ),
    ];
    for (note, times) in notes {
        chat.notes.add(note, times);
    }
    Ok(!unread.is_other)
}

impl Export {
    fn channels(&mut self, zip: &mut Unzip, chat: &mut Chat) -> Result<()> {
        let mut descriptions = Vec::new();
        for (file, is_private) in [(CHANNELS, false), (PRIVATE, true)] {
            let Some(place) = zip.find(file) else {
                continue;
            };
            each(zip, chat, place, "channels", |chat, channel| {
                let Some(name) = filled(channel, "name").or_else(|| filled(channel, "id")) else {
                    chat.notes.add("channels without a name were left out", 1);
                    return Ok(());
                };
                let creator = filled(channel, "creator").and_then(|id| chat.people.id(id));
                let members = members(chat, channel)?;
                let created = seconds(channel, "created");
                if let Some(created) = created.filter(|created| *created > 0) {
                    chat.created = Some(chat.created.map_or(created, |it| it.min(created)));
                }
                let index = chat.channels.add(Channel {
                    name: name.to_owned(),
                    is_private,
                    is_archived: flag(channel, "is_archived"),
                    is_default: flag(channel, "is_general"),
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
                self.folder(chat, channel, &Folder::Channel(index))?;
                self.channels.insert(text(channel, "id").to_owned(), index);
                Ok(())
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
        for file in DIRECT {
            let Some(place) = zip.find(file) else {
                continue;
            };
            each(
                zip,
                chat,
                place,
                "direct conversations",
                |chat, conversation| {
                    let members = members(chat, conversation)?;
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
                    self.folder(chat, conversation, &Folder::Direct(members))
                },
            )?;
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
        for (name, days) in &self.days {
            let Some(folder) = self.folders.get(name) else {
                continue;
            };
            for place in days {
                let size = zip.entries().get(*place).map_or(0, |entry| entry.size);
                each(zip, chat, *place, "messages", |chat, message| {
                    self.message(chat, folder, message)
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

#[cfg(test)]
mod odd;
#[cfg(test)]
mod tests;
