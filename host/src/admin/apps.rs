//! Apps, as an owner or administrator installs and changes them. The rules for that account apply.

use std::io::Write as _;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};
use spindle_actions::apps::{
    AppChange, AppFile, AppKeys, AppObject, RemovedApp, check_new_app, check_replacement, find_app,
    install_app, list_app_log, list_apps, remove_app, replace_component, update_app,
};
use spindle_actions::users::bot_domain;
use spindle_actions::{Actor, fold_name};
use spindle_blobs::{BlobKey, BlobStore};
use spindle_domain::apps::{ANY_HOST, Channels, EventKind, Rights};
use spindle_domain::{AppId, ChannelId};
use spindle_store::channels;

use super::{REALM, Session, explain, now, patiently};

/// What is granted to an app, in addition to what it has.
#[derive(Clone, Debug, Default)]
pub struct Granting {
    /// All that the manifest asks for, but for channels that are to be chosen.
    pub everything: bool,
    pub events: Vec<EventKind>,
    /// Names.
    pub commands: Vec<String>,
    pub hosts: Vec<String>,
    /// Ids or names.
    pub channels: Vec<String>,
    pub all_channels: bool,
    /// In place of what it has.
    pub only: bool,
}

/// The apps of the organization, administered by one account.
pub struct Apps<'a> {
    session: &'a Session,
    actor: Actor,
    /// Address of the server, without a slash at its end.
    site: String,
    keys: AppKeys,
}

impl Session {
    /// The apps, for the account with this address; `None` means the first owner. One of `keys` must have signed those that it
    /// installs.
    ///
    /// # Errors
    /// There is no such account, or it may not act.
    pub fn apps(&self, email: Option<&str>, site: &str, keys: AppKeys) -> Result<Apps<'_>> {
        let account = match email {
            Some(email) => self.find(email)?,
            None => match self.first_owner()? {
                Some(owner) => owner,
                None => bail!("there is no active owner; name an administrator with --as"),
            },
        };
        let actor = spindle_actions::account::act_as(self.db(), account.user_id)
            .map_err(explain)
            .with_context(|| format!("{} cannot act", account.email))?;
        Ok(Apps {
            session: self,
            actor,
            site: site.to_owned(),
            keys,
        })
    }
}

impl Apps<'_> {
    /// All apps, by name.
    ///
    /// # Errors
    /// The account does not administer the organization.
    pub fn list(&self) -> Result<Vec<AppObject>> {
        list_apps(self.session.db(), &self.actor, &self.site).map_err(explain)
    }

    /// One app.
    ///
    /// # Errors
    /// There is no app with this name; or as [`Self::list`].
    pub fn find(&self, name: &str) -> Result<AppObject> {
        let found = self.list()?.into_iter().find(|app| app.name == name);
        found.ok_or_else(|| anyhow!("there is no app named {name}"))
    }

    /// Installs the app of a component, which gets no rights yet.
    ///
    /// # Errors
    /// The component is refused, or its files cannot be stored.
    pub fn install(&self, component: &[u8], blobs: &BlobStore) -> Result<AppObject> {
        let (db, actor) = (self.session.db(), &self.actor);
        let file = AppFile::read(REALM, component, &self.keys).map_err(explain)?;
        check_new_app(db, actor, &file).map_err(explain)?;
        self.store(&file, component, blobs)?;
        let (now, domain) = (now()?, bot_domain(&self.site));
        let id = patiently(|| install_app(db, actor, now, &file, domain))?;
        self.by_id(id)
    }

    /// Replaces the component of an app. What the new one asks for in addition is not granted.
    ///
    /// # Errors
    /// As [`Self::find`] and [`Self::install`]; the component is that of another app.
    pub fn replace(&self, name: &str, component: &[u8], blobs: &BlobStore) -> Result<AppObject> {
        let (db, actor) = (self.session.db(), &self.actor);
        let id = self.find(name)?.app_id;
        let file = AppFile::read(REALM, component, &self.keys).map_err(explain)?;
        check_replacement(db, actor, id, &file).map_err(explain)?;
        self.store(&file, component, blobs)?;
        let now = now()?;
        patiently(|| replace_component(db, actor, now, id, &file))?;
        self.by_id(id)
    }

    /// Changes settings, secrets and whether an app is paused.
    ///
    /// # Errors
    /// As [`Self::find`]; a value is refused.
    pub fn change(&self, name: &str, change: &AppChange) -> Result<AppObject> {
        let (id, now) = (self.find(name)?.app_id, now()?);
        patiently(|| update_app(self.session.db(), &self.actor, now, id, change))?;
        self.by_id(id)
    }

    /// Grants rights to an app.
    ///
    /// # Errors
    /// As [`Self::find`]; there is no such channel, or the manifest does not ask for a right.
    pub fn grant(&self, name: &str, granting: &Granting) -> Result<AppObject> {
        let app = self.find(name)?;
        let (all, channels) = (asked_for(&app), self.channels(granting)?);
        let change = AppChange {
            rights: Some(rights(app.rights, all, granting, &channels)),
            ..AppChange::default()
        };
        self.change(name, &change)
    }

    /// Removes an app with what it has stored; its messages stay.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn remove(&self, name: &str) -> Result<RemovedApp> {
        let (id, now) = (self.find(name)?.app_id, now()?);
        patiently(|| remove_app(self.session.db(), &self.actor, now, id))
    }

    /// The newest lines of an app's log, the oldest of them first: a list of objects with `time` (UNIX seconds) and `text`.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn log(&self, name: &str) -> Result<Value> {
        let id = self.find(name)?.app_id;
        let lines = list_app_log(self.session.db(), &self.actor, id).map_err(explain)?;
        Ok(serde_json::from_str(&lines)?)
    }

    fn by_id(&self, id: AppId) -> Result<AppObject> {
        find_app(self.session.db(), &self.actor, &self.site, id).map_err(explain)
    }

    fn store(&self, file: &AppFile, component: &[u8], blobs: &BlobStore) -> Result<()> {
        let key = &file.blob_key;
        file.announce(self.session.db(), now()?).map_err(explain)?;
        let key = BlobKey::parse(key).ok_or_else(|| anyhow!("{key} is no key of a blob"))?;
        let mut blob = blobs.begin(&key, "application/wasm")?;
        blob.write_all(component)?;
        Ok(blob.finish()?)
    }

    /// Whether the account sees them is for the action to check.
    fn channels(&self, granting: &Granting) -> Result<Vec<ChannelId>> {
        let find = |text: &String| -> Result<ChannelId> {
            if let Ok(id) = text.parse() {
                return Ok(ChannelId(id));
            }
            let name = text.strip_prefix('#').unwrap_or(text);
            let folded = json!([fold_name(name)]).to_string();
            let found = channels::named(self.session.db(), REALM, &folded)?;
            let found = found.iter().find(|channel| !channel.is_archived);
            let found = found.ok_or_else(|| anyhow!("there is no channel named {name}"))?;
            Ok(found.id)
        };
        granting.channels.iter().map(find).collect()
    }
}

/// All that an app asks for; no channels if they are to be chosen.
fn asked_for(app: &AppObject) -> Rights {
    let asked = &app.manifest;
    let commands = asked.commands.iter();
    Rights {
        events: asked.events.clone(),
        commands: commands.map(|command| command.name.clone()).collect(),
        hosts: asked.hosts.clone(),
        channels: match asked.channels {
            Channels::All => None,
            Channels::Chosen => Some(Vec::new()),
        },
    }
}

/// The rights of an app after a grant. The action refuses what the manifest does not ask for.
fn rights(had: Option<Rights>, all: Rights, granting: &Granting, channels: &[ChannelId]) -> Rights {
    let mut rights = had.filter(|_| !granting.only).unwrap_or(Rights {
        channels: Some(Vec::new()),
        ..Rights::default()
    });
    let asks_for_all = all.channels.is_none();
    // A channel adds nothing to all of them, unless everything else is granted for it alone.
    let has_all = rights.channels.is_none() && asks_for_all && !granting.everything;
    if granting.everything {
        rights.events.extend(all.events);
        rights.commands.extend(all.commands);
        // Hosts that are named stand in place of any host.
        let is_wanted = |host: &String| granting.hosts.is_empty() || host != ANY_HOST;
        rights.hosts.extend(all.hosts.into_iter().filter(is_wanted));
    }
    rights.events.extend(&granting.events);
    rights.commands.extend(granting.commands.iter().cloned());
    rights.hosts.extend(granting.hosts.iter().cloned());
    if granting.all_channels || (granting.everything && channels.is_empty() && asks_for_all) {
        rights.channels = None;
    } else if !channels.is_empty() && !has_all {
        let chosen = rights.channels.get_or_insert_default();
        chosen.extend_from_slice(channels);
    }
    rights
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: ChannelId = ChannelId(7);

    fn all(channels: Option<Vec<ChannelId>>) -> Rights {
        Rights {
            events: vec![EventKind::Command, EventKind::Click],
            commands: vec!["vote".to_owned()],
            hosts: vec!["api.example.com".to_owned()],
            channels,
        }
    }

    #[test]
    fn everything_is_what_the_manifest_asks_for() {
        let granting = Granting {
            everything: true,
            ..Granting::default()
        };
        assert_eq!(rights(None, all(None), &granting, &[]), all(None));
        let chosen = Some(Vec::new());
        let granted = rights(None, all(chosen.clone()), &granting, &[]);
        assert_eq!(granted, all(chosen));
        let here = rights(None, all(None), &granting, &[POLL]);
        assert_eq!(here, all(Some(vec![POLL])));
    }

    #[test]
    fn named_hosts_stand_in_place_of_any_host() {
        let mut asked = all(None);
        asked.hosts.push(ANY_HOST.to_owned());
        let mut granting = Granting {
            everything: true,
            ..Granting::default()
        };
        let granted = rights(None, asked.clone(), &granting, &[]);
        assert_eq!(granted.hosts, ["api.example.com", ANY_HOST]);
        granting.hosts.push("feeds.example.com".to_owned());
        let granted = rights(None, asked, &granting, &[]);
        assert_eq!(granted.hosts, ["api.example.com", "feeds.example.com"]);
    }

    #[test]
    fn a_grant_adds_or_replaces() {
        let mut granting = Granting {
            events: vec![EventKind::Tick],
            ..Granting::default()
        };
        let had = || Some(all(Some(vec![POLL])));
        let more = rights(had(), all(None), &granting, &[ChannelId(8)]);
        assert_eq!(more.events.len(), 3);
        assert_eq!(more.channels, Some(vec![POLL, ChannelId(8)]));
        // It has all channels already.
        let same = rights(Some(all(None)), all(None), &granting, &[POLL]);
        assert_eq!(same.channels, None);
        granting.only = true;
        let less = rights(had(), all(None), &granting, &[]);
        assert_eq!(less.events, [EventKind::Tick]);
        assert_eq!(less.commands, Vec::<String>::new());
        // No channel, as opposed to all of them.
        assert_eq!(less.channels, Some(Vec::new()));
        granting.all_channels = true;
        assert_eq!(rights(had(), all(None), &granting, &[]).channels, None);
    }
}
