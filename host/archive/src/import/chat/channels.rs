//! Channels with their members, their folders, and direct conversations.

use std::collections::HashMap;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use spindle_domain::limits::{MAX_CHANNEL_FOLDER_NAME_LENGTH, MAX_STREAM_NAME_LENGTH};

use super::super::bounds::{Bounds, Texts};
use super::draft::Conversation;
use super::names::Names;
use super::text::line;

/// Longest description in characters.
const LONGEST_DESCRIPTION: usize = 1024;

/// A member of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    pub(crate) user: i64,
    pub(crate) is_muted: bool,
    pub(crate) is_pinned: bool,
}

impl Member {
    /// A member without any wish.
    pub(crate) const fn plain(user: i64) -> Self {
        Self {
            user,
            is_muted: false,
            is_pinned: false,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Channel {
    pub(crate) name: String,
    /// Markdown of this server, set by [`Channels::describe`].
    pub(crate) description: String,
    pub(crate) is_private: bool,
    pub(crate) is_archived: bool,
    /// Whether new people join it.
    pub(crate) is_default: bool,
    /// In UNIX seconds.
    pub(crate) created: Option<i64>,
    pub(crate) creator: Option<i64>,
    /// Its folder, by its number.
    pub(crate) folder: Option<i64>,
    /// Who is in it, sorted once all are there.
    pub(crate) members: Vec<Member>,
    /// How many messages it has.
    pub(crate) messages: u64,
}

/// A direct conversation.
#[derive(Debug)]
pub(super) struct Direct {
    /// Sorted.
    pub(super) people: Vec<i64>,
    pub(super) messages: u64,
}

/// All of them. The number of a channel is its place in the list, counted from 1.
#[derive(Debug)]
pub(crate) struct Channels {
    bounds: Bounds,
    list: Vec<Channel>,
    names: Names,
    folders: Vec<String>,
    folder_names: Names,
    directs: Vec<Direct>,
    by_people: HashMap<Vec<i64>, u32>,
    memberships: usize,
    texts: Texts,
}

impl Channels {
    pub(super) fn new(bounds: &Bounds) -> Self {
        Self {
            bounds: *bounds,
            list: Vec::new(),
            names: Names::default(),
            folders: Vec::new(),
            folder_names: Names::default(),
            directs: Vec::new(),
            by_people: HashMap::new(),
            memberships: 0,
            texts: Texts::new(bounds.text_bytes),
        }
    }

    /// Counts texts that a translator keeps of channels.
    pub(crate) fn keep<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> Result<()> {
        self.texts.keep(texts)
    }

    /// Takes a channel, under a name that is free.
    pub(crate) fn add(&mut self, mut channel: Channel) -> Result<u32> {
        let most = self.bounds.channels;
        if self.list.len() >= most {
            bail!("the archive holds more than {most} channels");
        }
        let name: String = channel
            .name
            .chars()
            .filter(|character| !matches!(character, '*' | '`' | '>' | '|'))
            .collect();
        let name = match line(&name, MAX_STREAM_NAME_LENGTH) {
            empty if empty.is_empty() => "channel".to_owned(),
            other => other,
        };
        channel.name = self.names.take(&name, MAX_STREAM_NAME_LENGTH);
        let members = std::mem::take(&mut channel.members);
        self.list.push(channel);
        let index = u32::try_from(self.list.len() - 1)?;
        for member in members {
            self.join(index, member)?;
        }
        Ok(index)
    }

    /// Says what a channel is about.
    pub(crate) fn describe(&mut self, index: u32, description: &str) {
        if let Some(channel) = self.list.get_mut(index as usize) {
            channel.description = line(description, LONGEST_DESCRIPTION);
        }
    }

    /// Makes an account a member.
    pub(crate) fn join(&mut self, index: u32, member: Member) -> Result<()> {
        self.memberships += 1;
        let most = self.bounds.memberships;
        if self.memberships > most {
            bail!("the archive holds more than {most} memberships");
        }
        if let Some(channel) = self.list.get_mut(index as usize) {
            channel.members.push(member);
        }
        Ok(())
    }

    /// Takes a folder; its number.
    pub(crate) fn folder(&mut self, name: &str) -> Result<i64> {
        let most = self.bounds.channels;
        if self.folders.len() >= most {
            bail!("the archive holds more than {most} teams");
        }
        let name = match line(name, MAX_CHANNEL_FOLDER_NAME_LENGTH) {
            empty if empty.is_empty() => "team".to_owned(),
            other => other,
        };
        let name = self
            .folder_names
            .take(&name, MAX_CHANNEL_FOLDER_NAME_LENGTH);
        self.folders.push(name);
        Ok(i64::try_from(self.folders.len())?)
    }

    /// The direct conversation of these people.
    pub(crate) fn direct(&mut self, people: &[i64]) -> Result<Conversation> {
        let mut people = people.to_vec();
        people.sort_unstable();
        people.dedup();
        if let Some(index) = self.by_people.get(&people) {
            return Ok(Conversation::Direct(*index));
        }
        self.memberships += people.len();
        let Bounds {
            channels,
            memberships,
            ..
        } = self.bounds;
        if self.directs.len() >= channels {
            bail!("the archive holds more than {channels} direct conversations");
        }
        if self.memberships > memberships {
            bail!("the archive holds more than {memberships} memberships");
        }
        let index = u32::try_from(self.directs.len())?;
        self.directs.push(Direct {
            people: people.clone(),
            messages: 0,
        });
        self.by_people.insert(people, index);
        Ok(Conversation::Direct(index))
    }

    pub(crate) fn get(&self, index: u32) -> Option<&Channel> {
        self.list.get(index as usize)
    }

    /// A link to a channel.
    pub(crate) fn link(&self, index: u32) -> Option<String> {
        Some(format!("#**{}**", self.get(index)?.name))
    }

    pub(super) fn list(&self) -> &[Channel] {
        &self.list
    }

    pub(super) fn directs(&self) -> &[Direct] {
        &self.directs
    }

    /// Counts a message.
    pub(super) fn count(&mut self, conversation: Conversation) {
        let count = match conversation {
            Conversation::Channel(index) => self
                .list
                .get_mut(index as usize)
                .map(|channel| &mut channel.messages),
            Conversation::Direct(index) => self
                .directs
                .get_mut(index as usize)
                .map(|direct| &mut direct.messages),
        };
        if let Some(count) = count {
            *count += 1;
        }
    }

    /// All members are there: one entry for each.
    pub(super) fn sort_members(&mut self) {
        for channel in &mut self.list {
            channel.members.sort_unstable();
            channel.members.dedup_by_key(|member| member.user);
        }
    }

    /// The number of what a message of this place is addressed to.
    pub(super) fn recipient(&self, conversation: Conversation) -> u64 {
        match conversation {
            Conversation::Channel(index) => u64::from(index) + 1,
            Conversation::Direct(index) => self.list.len() as u64 + u64::from(index) + 1,
        }
    }

    /// The rows of everything but messages: the table, and the row.
    pub(super) fn rows(
        &self,
        mut each: impl FnMut(&'static str, &Value) -> Result<()>,
    ) -> Result<()> {
        for (id, name) in (1_i64..).zip(&self.folders) {
            let row = json!({"id": id, "name": name, "description": "", "order": id});
            each("zerver_channelfolder", &row)?;
        }
        let mut subscriptions = 0_u64;
        for (index, channel) in (0_u32..).zip(&self.list) {
            let id = u64::from(index) + 1;
            let recipient = self.recipient(Conversation::Channel(index));
            let row = json!({
                "id": id,
                "name": channel.name,
                "description": channel.description,
                "invite_only": channel.is_private,
                "history_public_to_subscribers": true,
                "deactivated": channel.is_archived,
                "date_created": channel.created,
                "creator": channel.creator,
                "folder": channel.folder,
            });
            each("zerver_stream", &row)?;
            let row = json!({"id": recipient, "type": 2, "type_id": id});
            each("zerver_recipient", &row)?;
            if channel.is_default && !channel.is_archived && !channel.is_private {
                each("zerver_defaultstream", &json!({"id": id, "stream": id}))?;
            }
            for member in &channel.members {
                subscriptions += 1;
                let row = json!({
                    "id": subscriptions,
                    "user_profile": member.user,
                    "recipient": recipient,
                    "active": true,
                    "is_muted": member.is_muted,
                    "pin_to_top": member.is_pinned,
                });
                each("zerver_subscription", &row)?;
            }
        }
        for (index, direct) in (0_u32..).zip(&self.directs) {
            let recipient = self.recipient(Conversation::Direct(index));
            let row = json!({"id": recipient, "type": 3, "type_id": u64::from(index) + 1});
            each("zerver_recipient", &row)?;
            for user in &direct.people {
                subscriptions += 1;
                let row = json!({
                    "id": subscriptions,
                    "user_profile": user,
                    "recipient": recipient,
                    "active": true,
                });
                each("zerver_subscription", &row)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_have_names_that_can_be_linked_and_are_free() {
        let mut channels = Channels::new(&Bounds::default());
        let mut add = |name: &str| {
            let channel = Channel {
                name: name.to_owned(),
                ..Channel::default()
            };
            let index = channels.add(channel).unwrap();
            channels.get(index).unwrap().name.clone()
        };
        assert_eq!(add("general"), "general");
        assert_eq!(add("General"), "General (2)");
        assert_eq!(add("*x*`>"), "x");
        assert_eq!(add("**"), "channel");
        assert_eq!(add(&"y".repeat(80)).len(), MAX_STREAM_NAME_LENGTH);
        assert_eq!(channels.link(1).as_deref(), Some("#**General (2)**"));
    }

    #[test]
    fn the_same_people_have_one_conversation() {
        let mut channels = Channels::new(&Bounds::default());
        let one = channels.direct(&[2, 1, 2]).unwrap();
        assert_eq!(channels.direct(&[1, 2]).unwrap(), one);
        assert_ne!(channels.direct(&[1]).unwrap(), one);
        channels.count(one);
        assert_eq!(channels.directs()[0].messages, 1);
        assert_eq!(channels.recipient(one), 1);
    }
}
