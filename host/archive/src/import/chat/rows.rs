//! Writes what was gathered as the rows that the importer takes.

use std::collections::{BTreeMap, HashSet};

use anyhow::Result;
use serde_json::json;
use spindle_actions::import::ReceiptRow;

use super::super::tables::Tables;
use super::super::writers::Writers;
use super::draft::Draft;
use super::receivers::Receivers;
use super::topics::Topics;
use super::{Chat, Notes};

/// Beginning of the path of an emoji in the layout.
const EMOJI: &str = "emoji/1/emoji/images";

/// Work that is left in the archive once its rows are written.
#[derive(Debug)]
pub(crate) struct Translated {
    /// Paths in the layout by the place of a file in the archive.
    pub(crate) paths: BTreeMap<usize, Vec<String>>,
    /// What was left out or changed, each with how often.
    pub(crate) notes: BTreeMap<String, u64>,
}

impl Chat {
    /// Writes everything into `tables`.
    pub(crate) fn finish(mut self, tables: &mut Tables) -> Result<Translated> {
        self.channels.sort_members();
        let mut writers = Writers::default();
        let mut paths = BTreeMap::new();
        self.gather_threads()?;
        let realm = json!({"id": 1, "name": self.name, "date_created": self.created});
        writers.row(tables, "zerver_realm", &realm)?;
        let client = json!({"id": 1, "name": self.origin.name()});
        writers.row(tables, "zerver_client", &client)?;
        let notes = &mut self.notes;
        self.people
            .rows(notes, |table, row| writers.row(tables, table, row))?;
        for (id, person) in self.people.all() {
            if let Some(place) = person.picture {
                let path = format!("1/{id}");
                let row = json!({"path": path, "user_profile_id": id});
                writers.row(tables, "avatars", &row)?;
                paths
                    .entry(place)
                    .or_insert_with(Vec::new)
                    .push(format!("avatars/{path}"));
            }
        }
        self.channels
            .rows(|table, row| writers.row(tables, table, row))?;
        for (id, (name, place)) in (1_u64..).zip(&self.emoji) {
            let file = format!("{id}.png");
            let row = json!({"id": id, "name": name, "file_name": file});
            writers.row(tables, "zerver_realmemoji", &row)?;
            let path = format!("{EMOJI}/{file}");
            paths.entry(*place).or_default().push(path);
        }
        let (files, notes) = self.messages(tables, &mut writers)?;
        files.rows(&mut paths, |table, row| writers.row(tables, table, row))?;
        writers.finish(tables)?;
        tables.set_other_files(paths.len() as u64);
        Ok(Translated {
            paths,
            notes: notes.0,
        })
    }

    /// Gives every message of a thread its topic.
    fn gather_threads(&mut self) -> Result<()> {
        let general = self.general_topic();
        let empty = super::Sorter::new(std::path::Path::new(""), "");
        let threads = std::mem::replace(&mut self.threads, empty);
        let (mut topics, mut current, mut topic) = (Topics::default(), None, String::new());
        threads.finish(|key, record| -> Result<()> {
            let [channel, time, number, ..] = key;
            let mut draft = Draft::unpack(record)?;
            if current != Some((channel, time, number)) {
                current = Some((channel, time, number));
                topic = topics.name(channel, &draft.title, &general);
            }
            topic.clone_into(&mut draft.topic);
            self.timeline.push(draft.key(), draft.pack()?)?;
            Ok(())
        })
    }

    /// Writes messages in their order, with what belongs to them.
    fn messages(self, tables: &Tables, writers: &mut Writers) -> Result<(super::Files, Notes)> {
        let Self {
            bounds,
            people,
            channels,
            mut files,
            mut notes,
            emoji,
            timeline,
            ..
        } = self;
        let emoji: BTreeMap<String, u64> = emoji.into_keys().zip(1..).collect();
        let mut receivers = Receivers::new(&people, &channels, bounds.receipts)?;
        if let Some(newest) = receivers.newest() {
            let text = format!(
                "there are too many receivers: of each channel only the newest {newest} messages \
                 count as received by all members, older ones are in its history"
            );
            notes.add(text, 1);
        }
        let (mut id, mut reactions) = (0_u64, 0_u64);
        timeline.finish(|_, record| -> Result<()> {
            let draft = Draft::unpack(record)?;
            id += 1;
            let row = json!({
                "id": id,
                "sender": draft.sender,
                "recipient": channels.recipient(draft.conversation),
                "subject": draft.topic,
                "content": draft.content,
                "date_sent": draft.time / 1_000_000,
                "sending_client": 1,
                "last_edit_time": draft.edited,
            });
            writers.row(tables, "zerver_message", &row)?;
            for file in &draft.files {
                files.named(*file, id);
            }
            let message_id = i64::try_from(id)?;
            receivers.each(&draft, &people, &channels, |user, flags| {
                writers.receipt(
                    tables,
                    &ReceiptRow {
                        user_id: Some(user.into()),
                        message_id: message_id.into(),
                        flags,
                    },
                )
            })?;
            let mut seen = HashSet::new();
            for (user, name) in &draft.reactions {
                let Some((kind, code, name)) = reaction(name, &emoji) else {
                    notes.add(
                        "reactions with emoji that are neither in the archive nor known here were \
                         left out",
                        1,
                    );
                    continue;
                };
                // Skin tones of the same emoji are one here.
                if !seen.insert((*user, code.clone())) {
                    continue;
                }
                reactions += 1;
                let row = json!({
                    "id": reactions,
                    "user_profile": user,
                    "message": id,
                    "reaction_type": kind,
                    "emoji_code": code,
                    "emoji_name": name,
                });
                writers.row(tables, "zerver_reaction", &row)?;
            }
            Ok(())
        })?;
        Ok((files, notes))
    }
}

/// Type, code and name of a reaction.
fn reaction(name: &str, custom: &BTreeMap<String, u64>) -> Option<(&'static str, String, String)> {
    let name = name.split_once("::").map_or(name, |(name, _)| name);
    let folded = name.to_lowercase();
    if let Some(id) = custom.get(&folded) {
        return Some(("realm_emoji", id.to_string(), folded));
    }
    let code = spindle_emoji::code_for_short_name(name)?;
    let name = spindle_emoji::canonical_name(code)?;
    Some(("unicode_emoji", code.to_owned(), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reactions_are_emoji_of_this_server() {
        let custom = BTreeMap::from([("parrot".to_owned(), 4)]);
        let of = |name: &str| {
            reaction(name, &custom).map(|(kind, code, name)| (kind.to_owned(), code, name))
        };
        let found = |kind: &str, code: &str, name: &str| {
            Some((kind.to_owned(), code.to_owned(), name.to_owned()))
        };
        assert_eq!(
            of("thumbsup::skin-tone-3"),
            found("unicode_emoji", "1f44d", "+1")
        );
        assert_eq!(of("Parrot"), found("realm_emoji", "4", "parrot"));
        assert_eq!(of("unknown"), None);
    }
}
