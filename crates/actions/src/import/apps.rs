//! Imports apps: a component and an [`ArchivedApp`] each, as exports write them (docs/protocol/archive.md#apps).
//!
//! Archives contain no secrets, so an imported app stays paused until an administrator resumes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spindle_domain::apps::{Button, Effect, Rights, Scope, check_buttons, check_effects, limits};
use spindle_domain::limits::MAX_TIME;
use spindle_domain::{AppId, MessageId, UserId};
use spindle_store::apps::{self, AppRow, NewApp, schedules, values};
use spindle_store::{Connection, DbError, import, users};

use super::row::{ImportError, Row};
use super::{Import, REALM};
use crate::ActionError;
use crate::account::secrets;
use crate::apps::{AppFile, AppKeys, MOST_CHANNELS, MOST_HOSTS, add_commands, check_commands};

const PAUSED: &str = "Imported: enter its secrets, then resume it";

/// What belongs to an app, as an archive holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedApp {
    pub name: String,
    /// The account that it acts as.
    pub bot: UserId,
    /// UNIX seconds.
    pub installed: i64,
    /// `None` means that nothing was granted yet.
    pub rights: Option<Rights>,
    pub settings: BTreeMap<String, String>,
    /// Scope, key and value of each entry.
    pub values: Vec<(Scope, String, String)>,
    /// Scope, name and time (UNIX seconds) of each tick.
    pub ticks: Vec<(Scope, String, i64)>,
}

impl ArchivedApp {
    /// Reads an app for an export, with its values and ticks if `is_whole`.
    ///
    /// # Errors
    /// [`ActionError::Store`] when the database fails; [`ActionError::Internal`] for a row that cannot be read.
    pub fn of(db: &dyn Connection, app: AppRow, is_whole: bool) -> Result<Self, ActionError> {
        let unreadable = |error: serde_json::Error| ActionError::Internal(error.to_string());
        let rights = app.rights.as_deref().map(serde_json::from_str).transpose();
        let mut archived = Self {
            name: app.name,
            bot: app.bot_id,
            installed: app.installed,
            rights: rights.map_err(unreadable)?,
            settings: serde_json::from_str(&app.settings).map_err(unreadable)?,
            values: Vec::new(),
            ticks: Vec::new(),
        };
        if !is_whole {
            return Ok(archived);
        }
        let unknown = |error| ActionError::Internal(format!("a scope of an app: {error}"));
        for row in values::of_app(db, app.id)? {
            let scope = row.scope.parse().map_err(unknown)?;
            archived.values.push((scope, row.key, row.value));
        }
        for row in schedules::of_app(db, app.id)? {
            let scope = row.scope.parse().map_err(unknown)?;
            archived.ticks.push((scope, row.name, row.due));
        }
        Ok(archived)
    }
}

impl Import<'_> {
    /// Imports an app and its component, after all rows. Returns the key of the blob in which the caller stores the component,
    /// or `None`, with a note, if the app is left out.
    ///
    /// # Errors
    /// [`ImportError::Store`].
    pub fn app(
        &mut self,
        app: &ArchivedApp,
        component: &[u8],
        keys: &AppKeys,
    ) -> Result<Option<String>, ImportError> {
        let (file, owner_id) = match self.checked(app, component, keys) {
            Ok(checked) => checked,
            Err(ActionError::Store(error)) => return Err(error.into()),
            Err(error) => {
                self.note(format!("apps were left out: {error}"));
                return Ok(None);
            }
        };
        let new = NewApp {
            realm_id: REALM,
            bot_id: app.bot,
            owner_id,
            name: &app.name,
            webhook_key: &secrets::new_api_key()?,
            component: file.component(),
            installed: app.installed.clamp(0, MAX_TIME),
        };
        let id = apps::insert(&self.tx, &new)?;
        add_commands(&self.tx, id, &file)?;
        let settings: BTreeMap<&str, &str> = (file.manifest.settings.iter())
            .filter_map(|setting| {
                let value = app.settings.get(&setting.name)?;
                setting.text_of(&Value::from(value.as_str())).ok()?;
                Some((setting.name.as_str(), value.as_str()))
            })
            .collect();
        if settings.len() < app.settings.len() {
            self.note("settings of apps that do not fit were left out");
        }
        apps::set_settings(&self.tx, id, &json!(settings).to_string())?;
        if let Some(archived) = &app.rights {
            let mut rights = archived.within(&file.manifest);
            rights.sort();
            rights.hosts.truncate(MOST_HOSTS);
            if let Some(channels) = &mut rights.channels {
                channels.retain(|channel| self.channels.contains_key(channel));
                channels.truncate(MOST_CHANNELS);
            }
            if rights != *archived {
                self.note("rights of apps that do not fit were left out");
            }
            apps::set_rights(&self.tx, id, &json!(rights).to_string())?;
            apps::pause(&self.tx, id, PAUSED)?;
        }
        self.values_of(app, id)?;
        self.ticks_of(app, id)?;
        self.count("apps");
        Ok(Some(file.blob_key))
    }

    fn checked(
        &self,
        app: &ArchivedApp,
        component: &[u8],
        keys: &AppKeys,
    ) -> Result<(AppFile, UserId), ActionError> {
        let refuse = |why: &str| Err(ActionError::bad_request(why));
        let file = AppFile::read(REALM, component, keys)?;
        if file.manifest.name != app.name {
            return refuse("the component belongs to another app");
        }
        let others = apps::list(&self.tx, REALM)?;
        let is_other = |other: &AppRow| other.name == app.name || other.bot_id == app.bot;
        if others.iter().any(is_other) {
            return refuse("another app has the same name or bot");
        }
        if others.len() >= usize::try_from(limits::APPS).unwrap_or(usize::MAX) {
            return refuse("an organization can have no more");
        }
        let bot = self.people.get(&app.bot);
        if bot.is_none_or(|bot| bot.bot_type != Some(1)) {
            return refuse("their account is not a bot of the archive");
        }
        let bot = users::by_id(&self.tx, REALM, app.bot)?;
        let Some(owner_id) = bot.and_then(|bot| bot.bot_owner_id) else {
            return refuse("their owner is not in the archive");
        };
        check_commands(&self.tx, &file, None)?;
        Ok((file, owner_id))
    }

    fn values_of(&mut self, app: &ArchivedApp, id: AppId) -> Result<(), ImportError> {
        let mut bytes: BTreeMap<String, usize> = BTreeMap::new();
        let mut all = 0;
        for (scope, key, value) in &app.values {
            let effect = Effect::Store {
                scope: *scope,
                key: key.clone(),
                value: Some(value.clone()),
            };
            let size = key.len() + value.len();
            let text = scope.to_string();
            let of_scope = bytes.entry(text.clone()).or_default();
            let fits = *of_scope + size <= limits::SCOPE_BYTES
                && all + size + values::BYTES_OF_ENTRY as usize <= limits::APP_BYTES;
            if !fits || check_effects(&[effect]).is_err() || !self.has_scope(*scope)? {
                self.note("values of apps that do not fit were left out");
                continue;
            }
            *of_scope += size;
            all += size + values::BYTES_OF_ENTRY as usize;
            values::set(&self.tx, id, (&text, message_of(*scope)), key, value)?;
        }
        Ok(())
    }

    fn ticks_of(&mut self, app: &ArchivedApp, id: AppId) -> Result<(), ImportError> {
        for (number, (scope, name, time)) in (0..).zip(&app.ticks) {
            let effect = Effect::Schedule {
                scope: *scope,
                name: name.clone(),
                at: Some(*time),
            };
            if number >= limits::SCHEDULES
                || check_effects(&[effect]).is_err()
                || !self.has_scope(*scope)?
            {
                self.note("ticks of apps that do not fit were left out");
                continue;
            }
            let place = (&*scope.to_string(), message_of(*scope));
            schedules::set(&self.tx, id, place, name, *time)?;
        }
        Ok(())
    }

    fn has_scope(&self, scope: Scope) -> Result<bool, DbError> {
        Ok(match scope {
            Scope::App => true,
            Scope::Channel(id) => self.channels.contains_key(&id),
            Scope::Person(id) => self.people.contains_key(&id),
            Scope::Message(id) => import::is_direct(&self.tx, id)?.is_some(),
        })
    }

    /// The buttons of a message of a bot.
    pub(super) fn buttons(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let message_id: MessageId = row.id("id")?;
        let list = row.value("buttons").and_then(Value::as_array);
        // Their number is checked before they are copied.
        let list = list.filter(|list| (1..=limits::BUTTONS).contains(&list.len()));
        let buttons = list.and_then(|list| {
            let one = |button: &Value| Button::deserialize(button).ok();
            list.iter().map(one).collect::<Option<Vec<_>>>()
        });
        let Some(buttons) = buttons.filter(|buttons| check_buttons(buttons).is_ok()) else {
            self.note("buttons that do not fit were left out");
            return Ok(());
        };
        if !import::set_buttons(&self.tx, message_id, &json!(buttons).to_string())? {
            self.note("buttons of messages that no bot has sent were left out");
        }
        Ok(())
    }
}

const fn message_of(scope: Scope) -> Option<MessageId> {
    match scope {
        Scope::Message(id) => Some(id),
        _ => None,
    }
}
