//! The data of channels and people that is kept while an export is read for the first time: as
//! little as can be, and within the bounds of archives.

use std::collections::HashMap;

use anyhow::{Result, bail};
use serde_json::Value;

use super::super::chat::Chat;
use super::super::json::{filled, flag, list, number, text};

/// The name of a team, and the name of a channel in it.
type Key = (String, String);

/// A channel in the list of channels.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) key: Key,
    pub(super) title: String,
    /// In the markup of Mattermost.
    pub(super) about: String,
    pub(super) is_private: bool,
    pub(super) is_archived: bool,
}

impl Listed {
    /// Takes a channel; `others` are there already.
    pub(super) fn of(chat: &mut Chat, others: usize, channel: &Value) -> Result<Option<Self>> {
        let most = chat.bounds.channels;
        if others >= most {
            bail!("the archive holds more than {most} channels");
        }
        let (team, name) = (text(channel, "team"), text(channel, "name"));
        if name.is_empty() {
            chat.notes.add("channels without a name were left out", 1);
            return Ok(None);
        }
        let title = filled(channel, "display_name").unwrap_or(name);
        let about = filled(channel, "purpose").unwrap_or_else(|| text(channel, "header"));
        chat.channels.keep([team, name, title, about])?;
        Ok(Some(Self {
            key: (team.to_owned(), name.to_owned()),
            title: title.to_owned(),
            about: about.to_owned(),
            is_private: text(channel, "type") == "P",
            is_archived: number(channel, "deleted_at").unwrap_or_default() > 0,
        }))
    }
}

/// A channel that an account is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Membership {
    /// The index of the channel in [`Pairs`].
    pub(super) pair: u32,
    pub(super) is_muted: bool,
    pub(super) is_pinned: bool,
}

/// The channels that an account is in.
pub(super) type Memberships = Vec<Membership>;

/// The channels that people are in, each of which many name.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    list: Vec<Key>,
    places: HashMap<Key, u32>,
    memberships: usize,
}

impl Pairs {
    /// The channels that a line says an account is in.
    pub(super) fn of(&mut self, chat: &mut Chat, user: &Value) -> Result<Memberships> {
        let mut all = Vec::new();
        for team in list(user, "teams") {
            for channel in list(team, "channels") {
                self.memberships += 1;
                let most = chat.bounds.memberships;
                if self.memberships > most {
                    bail!("the archive holds more than {most} memberships");
                }
                let key = (
                    text(team, "name").to_owned(),
                    text(channel, "name").to_owned(),
                );
                let pair = match self.places.get(&key) {
                    Some(pair) => *pair,
                    None => {
                        chat.channels.keep([key.0.as_str(), key.1.as_str()])?;
                        let pair = u32::try_from(self.list.len())?;
                        self.list.push(key.clone());
                        self.places.insert(key, pair);
                        pair
                    }
                };
                let notify = channel.get("notify_props").unwrap_or(&Value::Null);
                all.push(Membership {
                    pair,
                    is_muted: text(notify, "mark_unread") == "mention",
                    is_pinned: flag(channel, "favorite"),
                });
            }
        }
        Ok(all)
    }

    /// The channel of an index.
    pub(super) fn get(&self, pair: u32) -> Option<&Key> {
        self.list.get(pair as usize)
    }
}
