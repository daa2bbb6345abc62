//! `spindle admin demo`: fills a new organization, so that people can look around in it.
//!
//! Everything is done by actions, in the name of the accounts that it creates, as if it had happened over the last
//! days. Owns the order of the steps; the texts are in `said`. Refuses an organization that is in use.

mod files;
mod said;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::json;
use spindle_actions::Actor;
use spindle_actions::channels::{
    ChannelProperties, NewChannelFolder, NewChannelInput, PropertyChange, create_channel,
    create_channel_folder, set_subscription_properties,
};
use spindle_actions::messages::{
    Destination, FlagChange, MessageInput, MessageUpdate, Notify, PropagateMode, ReactionInput,
    add_reaction, change_flags, mark_all_as_read, send_message, send_submessage, update_message,
};
use spindle_actions::organization::{NewProfileField, ProfileEntry, create_profile_field};
use spindle_actions::presence::{PresenceReport, report_presence};
use spindle_actions::user_groups::{NewGroup, create_group};
use spindle_actions::users::{NewAccount, StatusInput, set_user_status, update_own_profile};
use spindle_domain::message_flag::EditableFlag;
use spindle_domain::narrow::{ChannelReference, UserReference};
use spindle_domain::{MessageId, Role, UserId};
use spindle_store::{Connection, table_counts};

use super::{REALM, Session, explain, now};
use said::{
    BOT, CHANNELS, DemoConversation, FOLDERS, GROUPS, OWNER, PEOPLE, RESOLVED, SAID, Said, UNREAD,
};
use spindle_blobs::BlobStore;

/// The domain of the addresses, which is reserved for documentation.
const DOMAIN: &str = "demo.example.org";
/// The client that the messages are sent with.
const CLIENT: &str = "demo";
const MINUTE: i64 = 60;

/// What was created.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Demo {
    /// People and bots.
    pub accounts: usize,
    pub channels: usize,
    /// Messages.
    pub messages: usize,
    /// Addresses of the people, in whose names one may sign in.
    pub people: Vec<String>,
}

impl Session {
    /// Fills a new organization with people, channels and what they say. `site` is the address of the
    /// server, for links.
    ///
    /// # Errors
    /// The organization does not exist, has other accounts than its owner, or has messages.
    pub fn fill_with_demo(&self, blobs: &BlobStore, site: &str) -> Result<Demo> {
        self.require_realm()?;
        let accounts = self.list()?.len();
        let messages = table_counts::take(self.db(), REALM)?.messages;
        if accounts > 1 || messages > 0 {
            bail!(
                "this organization is in use (accounts: {accounts}, messages: {messages}); only a new one can be filled"
            );
        }
        let owner = self.first_owner()?.context("there is no active owner")?;
        let mut content = DemoContent {
            db: self.db(),
            blobs,
            site,
            now: now()?,
            actors: BTreeMap::new(),
            names: BTreeMap::from([(OWNER, owner.full_name)]),
        };
        content.act_as(OWNER, owner.user_id)?;
        content.people()?;
        content.profiles()?;
        content.channels()?;
        content.groups()?;
        content.messages()?;
        content.presence()?;
        Ok(Demo {
            accounts: PEOPLE.len() + 1,
            channels: CHANNELS.len(),
            messages: SAID.len(),
            people: PEOPLE.iter().map(|one| address(one.key)).collect(),
        })
    }
}

/// An organization that is being filled.
struct DemoContent<'a> {
    db: &'a dyn Connection,
    blobs: &'a BlobStore,
    site: &'a str,
    /// UNIX seconds.
    now: i64,
    /// By key.
    actors: BTreeMap<&'static str, Actor>,
    names: BTreeMap<&'static str, String>,
}

fn address(key: &str) -> String {
    format!("{key}@{DOMAIN}")
}

impl DemoContent<'_> {
    /// Minutes ago, as UNIX seconds.
    fn at(&self, minutes: i64) -> i64 {
        self.now - minutes * MINUTE
    }

    /// Before any message is sent.
    fn start(&self) -> i64 {
        self.at(SAID.first().map_or(0, |first| first.ago) + MINUTE)
    }

    fn act_as(&mut self, key: &'static str, id: UserId) -> Result<()> {
        let actor = spindle_actions::account::act_as(self.db, id).map_err(explain)?;
        self.actors.insert(key, actor);
        Ok(())
    }

    fn actor(&self, key: &str) -> Result<&Actor> {
        let actor = self.actors.get(key);
        actor.ok_or_else(|| anyhow!("{key} is nobody in the demo"))
    }

    fn ids(&self, keys: &[&str]) -> Result<Vec<UserId>> {
        let id = |key: &&str| self.actor(key).map(|actor| actor.user_id);
        keys.iter().map(id).collect()
    }

    fn people(&mut self) -> Result<()> {
        let owner_id = self.actor(OWNER)?.user_id;
        let mut accounts: Vec<(&'static str, NewAccount)> = Vec::new();
        for one in PEOPLE {
            let account = NewAccount {
                email: address(one.key),
                full_name: one.name.to_owned(),
                role: Some(one.role),
                ..NewAccount::default()
            };
            accounts.push((one.key, account));
        }
        let (key, name) = BOT;
        let bot = NewAccount {
            email: address(key),
            full_name: name.to_owned(),
            is_bot: true,
            bot_owner_id: Some(owner_id),
            ..NewAccount::default()
        };
        accounts.push((key, bot));
        for (key, account) in accounts {
            let created =
                spindle_actions::users::create_user(self.db, None, REALM, self.start(), &account);
            let created = created.map_err(explain)?;
            self.names.insert(key, account.full_name);
            self.act_as(key, created.user_id)?;
        }
        Ok(())
    }

    /// A profile field with values, and statuses.
    fn profiles(&self) -> Result<()> {
        let field = NewProfileField {
            name: "Makes".to_owned(),
            hint: "What you work on".to_owned(),
            field_type: 1,
            field_data: None,
            display_in_profile_summary: true,
            required: false,
            editable_by_user: true,
            use_for_user_matching: false,
        };
        let id = create_profile_field(self.db, self.actor(OWNER)?, self.start(), &field);
        let id = id.map_err(explain)?;
        for one in PEOPLE {
            let actor = self.actor(one.key)?;
            if !one.makes.is_empty() {
                let entry = ProfileEntry {
                    id,
                    value: json!(one.makes),
                };
                update_own_profile(self.db, actor, self.start(), &[entry], self.site)
                    .map_err(explain)?;
            }
            if let Some((text, emoji)) = one.status {
                let status = StatusInput {
                    status_text: Some(text.to_owned()),
                    emoji_name: Some(emoji.to_owned()),
                    ..StatusInput::default()
                };
                set_user_status(self.db, actor, self.now, actor.user_id, &status)
                    .map_err(explain)?;
            }
        }
        Ok(())
    }

    fn channels(&self) -> Result<()> {
        let (owner, start) = (self.actor(OWNER)?, self.start());
        let mut folders = BTreeMap::new();
        for (name, description) in FOLDERS {
            let folder = NewChannelFolder {
                name: (*name).to_owned(),
                description: (*description).to_owned(),
                realm_url: self.site.to_owned(),
            };
            let id = create_channel_folder(self.db, owner, start, &folder).map_err(explain)?;
            folders.insert(*name, id);
        }
        let guests = |key: &str| {
            PEOPLE
                .iter()
                .any(|one| one.key == key && one.role == Role::Guest)
        };
        let everybody: Vec<&str> = self
            .actors
            .keys()
            .copied()
            .filter(|key| !guests(key))
            .collect();
        for channel in CHANNELS {
            let subscribers = self.ids(channel.only.unwrap_or(&everybody))?;
            let input = NewChannelInput {
                name: channel.name.to_owned(),
                description: channel.description.to_owned(),
                properties: ChannelProperties {
                    invite_only: channel.only.is_some(),
                    history_public_to_subscribers: channel.only.map(|_| true),
                    folder_id: channel.folder.and_then(|name| folders.get(name)).copied(),
                    realm_url: self.site.to_owned(),
                    ..ChannelProperties::default()
                },
                subscribers: subscribers.into_iter().map(UserReference::Id).collect(),
                announce: false,
            };
            let id = create_channel(self.db, owner, start, &input).map_err(explain)?;
            if channel.name == RESOLVED.0 {
                let pinned = PropertyChange {
                    channel_id: id,
                    property: "pin_to_top".to_owned(),
                    value: json!(true),
                };
                set_subscription_properties(self.db, owner, start, &[pinned]).map_err(explain)?;
            }
        }
        Ok(())
    }

    fn groups(&self) -> Result<()> {
        let mut ids = BTreeMap::new();
        for (name, description, members, inside) in GROUPS {
            let group = NewGroup {
                name: (*name).to_owned(),
                description: (*description).to_owned(),
                members: self.ids(members)?,
                subgroups: inside
                    .iter()
                    .filter_map(|one| ids.get(one))
                    .copied()
                    .collect(),
                permissions: Vec::new(),
            };
            let id = create_group(self.db, self.actor(OWNER)?, self.start(), &group);
            ids.insert(*name, id.map_err(explain)?);
        }
        Ok(())
    }

    fn messages(&self) -> Result<()> {
        let owner = self.actor(OWNER)?;
        let is_resolved = |said: &Said| matches!(said.place, DemoConversation::Topic(channel, topic) if (channel, topic) == RESOLVED);
        let last_of_resolved = SAID.iter().rposition(is_resolved);
        let mut is_read = false;
        for (at, said) in SAID.iter().enumerate() {
            if said.ago < UNREAD && !is_read {
                mark_all_as_read(self.db, owner, self.at(UNREAD)).map_err(explain)?;
                is_read = true;
            }
            let id = self
                .send(said)
                .with_context(|| format!("“{}” cannot be said", said.text))?;
            if Some(at) == last_of_resolved {
                self.resolve(id, self.at(said.ago) + 5 * MINUTE)?;
            }
        }
        Ok(())
    }

    /// Marks the topic of a message as resolved.
    fn resolve(&self, id: MessageId, at: i64) -> Result<()> {
        let update = MessageUpdate {
            content: None,
            prev_content_sha256: None,
            topic: Some(format!("✔ {}", RESOLVED.1)),
            channel_id: None,
            propagate_mode: PropagateMode::All,
            notify: Notify {
                old_thread: false,
                new_thread: true,
            },
            realm_url: self.site.to_owned(),
        };
        update_message(self.db, self.actor(OWNER)?, at, id, &update).map_err(explain)?;
        Ok(())
    }

    fn send(&self, said: &Said) -> Result<MessageId> {
        let (sender, at) = (self.actor(said.by)?, self.at(said.ago));
        let content = files::with_files(self.db, self.blobs, sender, at, said.text)?;
        let content = match self.names.get(OWNER) {
            Some(name) => content.replace("@**owner**", &format!("@**{name}**")),
            None => content,
        };
        let destination = match said.place {
            DemoConversation::Topic(channel, topic) => Destination::Channel {
                channel: ChannelReference::Name(channel.to_owned()),
                topic: topic.to_owned(),
            },
            DemoConversation::People(people) => Destination::Direct(
                self.ids(people)?
                    .into_iter()
                    .map(UserReference::Id)
                    .collect(),
            ),
        };
        let input = MessageInput {
            destination,
            content,
            client: CLIENT.to_owned(),
            read_by_sender: Some(true),
            local: None,
            delivery: None,
            realm_url: self.site.to_owned(),
        };
        let id = send_message(self.db, sender, at, &input)
            .map_err(explain)?
            .id;
        for (emoji, people) in said.reactions {
            for who in *people {
                let reaction = ReactionInput {
                    emoji_name: Some((*emoji).to_owned()),
                    ..ReactionInput::default()
                };
                add_reaction(self.db, self.actor(who)?, at + MINUTE, id, &reaction)
                    .map_err(explain)?;
            }
        }
        for (who, option) in said.votes {
            let vote = json!({"type": "vote", "key": format!("canned,{option}"), "vote": 1});
            send_submessage(
                self.db,
                self.actor(who)?,
                at + MINUTE,
                id,
                &vote.to_string(),
            )
            .map_err(explain)?;
        }
        if said.is_starred {
            let star = FlagChange {
                flag: EditableFlag::Starred,
                add: true,
            };
            change_flags(self.db, self.actor(OWNER)?, at + MINUTE, &[id], &star)
                .map_err(explain)?;
        }
        Ok(id)
    }

    fn presence(&self) -> Result<()> {
        for one in PEOPLE {
            let Some(minutes) = one.seen else { continue };
            let report = PresenceReport {
                is_active: true,
                query: None,
            };
            report_presence(self.db, self.actor(one.key)?, self.at(minutes), report)
                .map_err(explain)?;
        }
        Ok(())
    }
}
