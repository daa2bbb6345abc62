//! The common part of archives of Slack and Mattermost: converts people, channels and messages to
//! rows for the importer.
//!
//! Translators (`slack`, `mattermost`) pass on the objects that they have read. Owns numbering, unique names and
//! addresses, topics of threads, the order of messages, and their recipients. Messages are sorted on disk, never all
//! held in memory; people, channels and files are held, and their numbers are bounded. The formats of both products
//! stay in the translators.

mod channels;
mod draft;
mod files;
mod names;
mod people;
mod receivers;
mod rows;
pub(super) mod text;
mod topics;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};

use super::bounds::Bounds;
use super::options::Origin;
use super::sorter::Sorter;
pub(super) use channels::{Channel, Channels, Member};
pub(super) use draft::{Conversation, Draft, Thread};
pub(super) use files::Files;
pub(super) use people::{People, Person, PersonKind, role};
pub(super) use rows::Translated;

/// Most accounts of integrations.
const MOST_INTEGRATIONS: usize = 2_000;
/// Longest name of an integration in characters.
const LONGEST_INTEGRATION: usize = 100;
/// Most different notes.
const MOST_NOTES: usize = 200;

/// An organization that is being read.
pub(super) struct Chat {
    pub(super) bounds: Bounds,
    pub(super) origin: Origin,
    /// Name of the organization.
    pub(super) name: String,
    /// When it began, in UNIX seconds.
    pub(super) created: Option<i64>,
    pub(super) people: People,
    pub(super) channels: Channels,
    pub(super) files: Files,
    pub(super) notes: Notes,
    /// How many accounts there are of integrations that are none in the archive.
    integrations: usize,
    /// Indexes of images in the archive, by name.
    emoji: BTreeMap<String, usize>,
    /// Messages of threads, to be sorted by thread.
    threads: Sorter,
    /// Messages that have a topic, to be sorted by time.
    timeline: Sorter,
    /// How many messages there are.
    count: u64,
}

impl Chat {
    /// Begins; temporary files lie in `folder`. `domain`: of addresses of people without one.
    pub(super) fn new(origin: Origin, folder: &Path, domain: String, bounds: Bounds) -> Self {
        Self {
            bounds,
            origin,
            name: origin.name().to_owned(),
            created: None,
            people: People::new(domain, &bounds),
            channels: Channels::new(&bounds),
            files: Files::default(),
            notes: Notes::default(),
            integrations: 0,
            emoji: BTreeMap::new(),
            threads: Sorter::new(folder, "sorting-threads"),
            timeline: Sorter::new(folder, "sorting-messages"),
            count: 0,
        }
    }

    /// The topic of messages that belong to no thread.
    pub(super) fn general_topic(&self) -> String {
        format!("imported from {}", self.origin.name())
    }

    /// The account of an integration, which is known by its name alone and can do nothing.
    pub(super) fn integration(&mut self, name: &str) -> Result<i64> {
        let name = text::line(name, LONGEST_INTEGRATION);
        let key = format!("integration {}", spindle_actions::fold_name(&name));
        if let Some(id) = self.people.id(&key) {
            return Ok(id);
        }
        let (key, name) = if self.integrations < MOST_INTEGRATIONS {
            self.integrations += 1;
            (key, name)
        } else {
            let note = "messages of integrations beyond the first 2000 have one sender";
            self.notes.add(note, 1);
            ("integrations".to_owned(), "Integrations".to_owned())
        };
        let mut person = Person::new(PersonKind::Bot, &name, &format!("integration-{name}"));
        person.is_active = false;
        self.people.add(&key, person)
    }

    /// Adds a custom emoji, whose image has this index in the archive.
    pub(super) fn emoji(&mut self, name: &str, place: Option<usize>) -> Result<()> {
        let Some(place) = place else {
            self.notes.add(
                "custom emoji without an image in the archive were left out",
                1,
            );
            return Ok(());
        };
        let name = name.to_lowercase();
        if !spindle_domain::policy::is_emoji_name(&name) || name.len() > 100 {
            self.notes.add(
                "custom emoji with a name that cannot be one here were left out",
                1,
            );
            return Ok(());
        }
        let most = self.bounds.emoji;
        if self.emoji.len() >= most && !self.emoji.contains_key(&name) {
            bail!("the archive holds more than {most} custom emoji");
        }
        self.emoji.entry(name).or_insert(place);
        Ok(())
    }

    /// Adds a message; `thread` is the thread that it belongs to, if any. An empty one is left out.
    pub(super) fn message(&mut self, mut draft: Draft, thread: Option<Thread>) -> Result<()> {
        if draft.content.trim().is_empty() {
            self.notes
                .add("messages without any content were left out", 1);
            return Ok(());
        }
        if draft.cut() {
            self.notes.add("messages that are too long were cut", 1);
        }
        for people in [&mut draft.mentions, &mut draft.starred] {
            people.sort_unstable();
            people.dedup();
        }
        let most = self.bounds.messages;
        if self.count >= most {
            bail!("the archive holds more than {most} messages");
        }
        self.count += 1;
        draft.number = self.count;
        self.channels.count(draft.conversation);
        match (draft.conversation, thread) {
            (Conversation::Channel(channel), Some(thread)) => {
                let key = [
                    u64::from(channel),
                    thread.time,
                    thread.number,
                    draft.time,
                    draft.number,
                ];
                self.threads.push(key, draft.pack()?)?;
            }
            (Conversation::Channel(_), None) => {
                draft.topic = self.general_topic();
                self.timeline.push(draft.key(), draft.pack()?)?;
            }
            (Conversation::Direct(_), _) => self.timeline.push(draft.key(), draft.pack()?)?,
        }
        Ok(())
    }
}

/// Notes on data that was left out or changed, each with a count.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeMap<String, u64>);

impl Notes {
    pub(super) fn add(&mut self, text: impl Into<String>, times: u64) {
        if times == 0 {
            return;
        }
        let mut text = text.into();
        if self.0.len() >= MOST_NOTES && !self.0.contains_key(&text) {
            "other things that are not known here were left out".clone_into(&mut text);
        }
        *self.0.entry(text).or_default() += times;
    }
}
