//! Bulk exports of Mattermost: a zip with one file of lines, of which each is an object, and a folder with
//! the attachments.
//!
//! Owns the meaning of the lines. They are read twice: first for teams, channels and people, then
//! for posts, a line at a time; a line holds a post with all of its replies. It must not convert
//! rows.

mod fence;
mod lines;
mod listed;
mod markup;
mod post;

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use serde_json::Value;

use super::chat::{Channel, Chat, Member, Person, PersonKind, role};
use super::json::{filled, list, number, text};
use super::unzip::Unzip;
use lines::{each, is_no_post, is_post};
use listed::{Listed, Memberships, Pairs};
use markup::Markup;
use spindle_system::progress::{Progress, Unit};

/// Data that is never imported, each with the reason.
pub(super) const LEAVES_OUT: &[(&str, &str)] = &[
    (
        "passwords, tokens, ways to sign in",
        "an archive must not open accounts; issue new ones",
    ),
    (
        "notices (who joined, left, renamed)",
        "they are notices of the system; their changes are already in the data",
    ),
    (
        "roles and schemes of permissions",
        "administrators of the system become owners, those of a team administrators; all else is as in a \
         new organization",
    ),
    (
        "preferences, themes, what notifies, positions, what was read, followed and pinned",
        "this server has its own; everything counts as read",
    ),
    (
        "former texts of posts that were edited",
        "an export does not hold them; the time of the last change stays",
    ),
];

/// Channels that all members are in.
const DEFAULT_CHANNELS: [&str; 2] = ["town-square", "off-topic"];
/// The version of the format.
const VERSION: u64 = 1;

/// Whether this archive is an export of Mattermost.
pub(super) fn is_one(zip: &Unzip) -> bool {
    list_of_lines(zip).is_some()
}

/// The index of the file of lines.
fn list_of_lines(zip: &Unzip) -> Option<usize> {
    zip.entries()
        .iter()
        .position(|entry| entry.path.ends_with(".jsonl") && !entry.path.contains('/'))
}

/// The part of an export that is known before its posts are read.
#[derive(Debug, Default)]
struct Export {
    /// Places in the archive by path.
    files: HashMap<String, usize>,
    /// Folders by the name of the team.
    teams: BTreeMap<String, Team>,
    /// Channels by team and name.
    channels: HashMap<(String, String), u32>,
}

#[derive(Debug, Default)]
struct Team {
    title: String,
    folder: Option<i64>,
}

/// Reads an export into `chat`.
pub(super) fn read(zip: &mut Unzip, chat: &mut Chat, progress: &Progress) -> Result<()> {
    let Some(place) = list_of_lines(zip) else {
        bail!("it holds no file of lines");
    };
    let size = zip.entries().get(place).map_or(0, |entry| entry.size);
    let mut export = Export::default();
    let files = zip.entries().iter().enumerate();
    export.files = files
        .filter(|(other, _)| *other != place)
        .map(|(other, entry)| (entry.path.clone(), other))
        .collect();
    progress.step("reading people and channels", Unit::Bytes, size);
    let (mut channels, mut people, mut pairs) = (Vec::new(), Vec::new(), Pairs::default());
    let mut is_first = true;
    each(zip, chat, place, is_no_post, |chat, number, line| {
        progress.add(line.bytes);
        let kind = line.kind.as_str();
        let version = line.object.as_ref().and_then(Value::as_u64);
        if std::mem::take(&mut is_first) && (kind, version) != ("version", Some(VERSION)) {
            bail!(
                "line {number}: an export begins with its version, of which only {VERSION} is known"
            );
        }
        let Some(object) = &line.object else {
            return Ok(());
        };
        match kind {
            "team" => export.team(chat, object)?,
            // Channels refer to teams, people to channels.
            "channel" => channels.extend(Listed::of(chat, channels.len(), object)?),
            "user" => {
                if let Some(id) = export.person(chat, object)? {
                    people.push((id, pairs.of(chat, object)?));
                }
            }
            "bot" => export.bot(chat, object)?,
            "emoji" => {
                let place = export.find(text(object, "image"));
                chat.emoji(text(object, "name"), place)?;
            }
            "version" | "direct_channel" => {}
            "role" | "scheme" => {
                chat.notes
                    .add("roles and schemes of permissions were left out", 1);
            }
            _ => chat
                .notes
                .add("lines of a type that is not known here were left out", 1),
        }
        Ok(())
    })?;
    if is_first {
        bail!("it holds no line");
    }
    export.channels(chat, channels)?;
    for (id, memberships) in people {
        export.join(chat, id, &memberships, &pairs)?;
    }
    progress.step("reading the archive", Unit::Bytes, size);
    each(zip, chat, place, is_post, |chat, number, line| {
        progress.add(line.bytes);
        match &line.object {
            Some(post) => export.post(chat, post, number),
            None => Ok(()),
        }
    })
}

impl Export {
    /// The index of a file that a line names by its path.
    fn find(&self, path: &str) -> Option<usize> {
        let path = path.trim_start_matches("./").trim_start_matches('/');
        if path.is_empty() {
            return None;
        }
        self.files
            .get(&format!("data/{path}"))
            .or_else(|| self.files.get(path))
            .copied()
    }

    fn team(&mut self, chat: &mut Chat, team: &Value) -> Result<()> {
        let title = filled(team, "display_name").unwrap_or_else(|| text(team, "name"));
        let most = chat.bounds.channels;
        if self.teams.len() >= most {
            bail!("the archive holds more than {most} teams");
        }
        chat.channels.keep([title, text(team, "name")])?;
        if self.teams.is_empty() {
            title.clone_into(&mut chat.name);
        }
        let team = self.teams.entry(text(team, "name").to_owned()).or_default();
        title.clone_into(&mut team.title);
        Ok(())
    }

    /// The number of an account; `None` when it has no name.
    fn person(&self, chat: &mut Chat, user: &Value) -> Result<Option<i64>> {
        let Some(username) = username(chat, user) else {
            return Ok(None);
        };
        let names = [text(user, "first_name"), text(user, "last_name")].join(" ");
        let full_name = Some(names.trim())
            .filter(|names| !names.is_empty())
            .or_else(|| filled(user, "nickname"))
            .unwrap_or(&username);
        let has = |value: &Value, name: &str| {
            let roles = text(value, "roles");
            roles.split([' ', ',']).any(|role| role == name)
        };
        let is_admin_of_team = list(user, "teams")
            .iter()
            .any(|team| has(team, "team_admin"));
        let person = Person {
            address: filled(user, "email").map(str::to_owned),
            role: match () {
                () if has(user, "system_admin") => role::OWNER,
                () if has(user, "system_guest") => role::GUEST,
                () if is_admin_of_team => role::ADMINISTRATOR,
                () => role::MEMBER,
            },
            is_active: number(user, "delete_at").unwrap_or_default() == 0,
            picture: self.find(text(user, "profile_image")),
            ..Person::new(PersonKind::Human, full_name, &username)
        };
        chat.people.add(&username, person).map(Some)
    }

    fn bot(&self, chat: &mut Chat, bot: &Value) -> Result<()> {
        let Some(username) = username(chat, bot) else {
            return Ok(());
        };
        let full_name = filled(bot, "display_name").unwrap_or(&username);
        let person = Person {
            is_active: number(bot, "delete_at").unwrap_or_default() == 0,
            owner: chat.people.id(&text(bot, "owner").to_lowercase()),
            ..Person::new(PersonKind::Bot, full_name, &username)
        };
        chat.people.add(&username, person)?;
        Ok(())
    }

    /// Takes the channels, now that all teams are known.
    fn channels(&mut self, chat: &mut Chat, channels: Vec<Listed>) -> Result<()> {
        if self.teams.len() > 1 {
            for team in self.teams.values_mut() {
                team.folder = Some(chat.channels.folder(&team.title)?);
            }
        }
        // The same name in two teams needs the name of the team.
        let mut counts: HashMap<String, usize> = HashMap::new();
        for channel in &channels {
            *counts.entry(channel.title.to_lowercase()).or_default() += 1;
        }
        let mut made = Vec::new();
        for channel in channels {
            let Listed {
                key,
                title: mut name,
                about,
                is_private,
                is_archived,
            } = channel;
            let team = self.teams.get(&key.0);
            let is_alone = counts
                .get(&name.to_lowercase())
                .is_none_or(|count| *count < 2);
            if let Some(team) = team.filter(|_| !is_alone && self.teams.len() > 1) {
                name = format!("{name} ({})", team.title);
            }
            let index = chat.channels.add(Channel {
                name,
                is_private,
                is_archived,
                is_default: DEFAULT_CHANNELS.contains(&key.1.as_str()),
                folder: team.and_then(|team| team.folder),
                ..Channel::default()
            })?;
            made.push((index, key.0.clone(), about));
            self.channels.entry(key).or_insert(index);
        }
        // They may name channels that come later.
        for (index, team, about) in made {
            let description = self.markup(chat, &team).convert(&about).content;
            chat.channels.describe(index, &description);
        }
        Ok(())
    }

    fn join(
        &self,
        chat: &mut Chat,
        user: i64,
        memberships: &Memberships,
        pairs: &Pairs,
    ) -> Result<()> {
        for membership in memberships {
            let key = pairs.get(membership.pair);
            match key.and_then(|key| self.channels.get(key)) {
                Some(index) => chat.channels.join(
                    *index,
                    Member {
                        user,
                        is_muted: membership.is_muted,
                        is_pinned: membership.is_pinned,
                    },
                )?,
                None => chat.notes.add(
                    "memberships of channels that are not in the archive were left out",
                    1,
                ),
            }
        }
        Ok(())
    }

    /// The account of a name, a placeholder if the archive does not list it.
    fn known(chat: &mut Chat, username: &str) -> Result<i64> {
        let username = username.to_lowercase();
        if let Some(id) = chat.people.id(&username) {
            return Ok(id);
        }
        chat.notes.add(
            "people who are not among those of the archive became deactivated placeholders",
            1,
        );
        let person = Person::new(PersonKind::Placeholder, &username, &username);
        chat.people.add(&username, person)
    }

    /// The names that texts of a team refer to.
    const fn markup<'c>(&'c self, chat: &'c Chat, team: &'c str) -> Markup<'c> {
        Markup {
            chat,
            channels: &self.channels,
            team,
        }
    }
}

/// The name that an account is known by.
fn username(chat: &mut Chat, account: &Value) -> Option<String> {
    let name = filled(account, "username");
    if name.is_none() {
        chat.notes.add("accounts without a name were left out", 1);
    }
    name.map(str::to_lowercase)
}

#[cfg(test)]
mod tests;
