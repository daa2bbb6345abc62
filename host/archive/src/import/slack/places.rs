//! The places of files in an export: which conversation a file of messages belongs to, and what else lies where.

use anyhow::Result;
use serde_json::Value;

use super::super::chat::{Chat, text::line};
use super::super::json::filled;
use super::super::unzip::Unzip;
use super::{CHANNELS, DIRECT, Export, Folder, PEOPLE, PRIVATE};

/// Files next to the lists of people and conversations that hold nothing of use here.
const SILENT: &[&str] = &["integration_logs.json"];
/// Most folders whose names are noted.
const MOST_NAMED: usize = 20;
/// Longest name of a folder in a note, and at all, in characters.
const LONGEST_NAMED: usize = 80;
const LONGEST: usize = 4096;

impl Export {
    /// Notes the folders that the messages of a conversation may lie in: Slack names them by the name of a
    /// channel and by the id of a direct conversation, some tools name all by the id.
    pub(super) fn folder(
        &mut self,
        chat: &mut Chat,
        conversation: &Value,
        folder: &Folder,
    ) -> Result<()> {
        for field in ["name", "id"] {
            let Some(name) = filled(conversation, field) else {
                continue;
            };
            chat.channels.keep([name])?;
            if self.folders.contains_key(&key(name)) {
                let note = "conversations that have the name of another one: messages in a folder of that \
                            name belong to the first";
                chat.notes.add(note, 1);
            }
            self.folders
                .entry(key(name))
                .or_insert_with(|| folder.clone());
        }
        Ok(())
    }

    /// Looks through the list of files.
    pub(super) fn index(&mut self, zip: &Unzip, chat: &mut Chat) -> Result<()> {
        let mut named = 0;
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
                [name] if is_list(name) => {}
                // Slack names files of messages by the day, other tools by anything.
                [.., last] => match (self.conversation(&parts), last.strip_suffix(".json")) {
                    (Some(conversation), Some(_)) => {
                        self.days.entry(conversation).or_default().push(place);
                    }
                    (None, Some(_)) if parts.len() > 1 => {
                        named += 1;
                        chat.notes.add(lost(&parts, named), 1);
                    }
                    _ => chat.notes.add("files of no known kind were left out", 1),
                },
                [] => {}
            }
        }
        Ok(())
    }

    /// The conversation of a file of messages: the one named like its folder, or like the file itself if it is in no
    /// folder.
    fn conversation(&self, parts: &[&str]) -> Option<String> {
        let name = match parts {
            [file] => file.strip_suffix(".json")?,
            [.., folder, _] => folder,
            [] => return None,
        };
        Some(key(name)).filter(|name| self.folders.contains_key(name))
    }
}

/// The name of a folder in the form in which names are compared: file systems decompose letters.
fn key(name: &str) -> String {
    line(name, LONGEST)
}

fn is_list(name: &str) -> bool {
    let lists = PEOPLE.iter().chain(&DIRECT).chain(SILENT);
    lists.chain(&[CHANNELS, PRIVATE]).any(|list| *list == name)
}

/// The note on a file of messages without a conversation, which names some of the folders.
fn lost(parts: &[&str], number: usize) -> String {
    let note = "files of messages of conversations that are not in the archive were left out";
    match parts {
        [.., folder, _] if number <= MOST_NAMED => {
            format!("{note} ({})", line(folder, LONGEST_NAMED))
        }
        _ => note.to_owned(),
    }
}
