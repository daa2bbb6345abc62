//! Grants rights to an app, sets it up, pauses and resumes it (docs/protocol/apps.md#update_app).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use spindle_domain::AppId;
use spindle_domain::apps::{Rights, limits};
use spindle_store::apps::{self, secrets};
use spindle_store::{Connection, DbError, channel_facts, users};

use super::access_to_change;
use crate::account::manage_account::Change;
use crate::app_events::{Installed, write_log};
use crate::users::bots::change_owner;
use crate::users::reactivate;
use crate::{ActionError, Actor};

/// Channels that an app can be limited to.
pub(crate) const MOST_CHANNELS: usize = 1_000;
/// Hosts that can be granted.
pub(crate) const MOST_HOSTS: usize = 100;
/// Rights that an error names.
const MOST_NAMED: usize = 5;

/// What changes of an app; none of a field leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AppChange {
    /// All that the app may do from now on.
    pub rights: Option<Rights>,
    /// By name; null takes a value back.
    pub settings: Option<BTreeMap<String, Value>>,
    /// By name; `None` removes a secret.
    pub secrets: Option<BTreeMap<String, Option<String>>>,
    pub is_paused: Option<bool>,
}

/// Changes an app at `now` (UNIX seconds). When an app is resumed whose account is deactivated, the account is active again
/// and belongs to `actor` if its owner is not active.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators; [`ActionError::BadRequest`] when there is no such app, for rights
/// that its manifest does not ask for, and for settings and secrets that it does not have or that do not fit.
pub fn update_app(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    app_id: AppId,
    wanted: &AppChange,
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let app = access_to_change(change, actor, app_id)?;
        let mut data = Map::new();
        data.insert("app_id".to_owned(), json!(app_id));
        data.insert("name".to_owned(), json!(app.manifest.name));
        if let Some(rights) = &wanted.rights {
            let granted = grant(change, actor, &app, rights)?;
            data.insert("rights".to_owned(), granted);
        }
        if let Some(settings) = &wanted.settings {
            set_up(change, &app, settings)?;
            let names = settings.keys().cloned().collect();
            data.insert("settings".to_owned(), names);
        }
        if let Some(secrets) = &wanted.secrets {
            store_secrets(change, &app, secrets)?;
            let names = secrets.keys().cloned().collect();
            data.insert("secrets".to_owned(), names);
        }
        match wanted.is_paused {
            Some(true) => {
                let reason = "An administrator has paused it";
                apps::pause(change.tx, app_id, reason)?;
                write_log(change.tx, app_id, now, reason)?;
            }
            Some(false) => resume(change, actor, &app)?,
            None => {}
        }
        if let Some(is_paused) = wanted.is_paused {
            data.insert("is_paused".to_owned(), json!(is_paused));
        }
        change.audit(Some(app.bot_id()), "app_changed", &Value::Object(data))
    })
}

fn grant(
    change: &Change<'_, '_>,
    actor: &Actor,
    app: &Installed,
    rights: &Rights,
) -> Result<Value, ActionError> {
    let mut beyond = rights.beyond(&app.manifest);
    if !beyond.is_empty() {
        beyond.truncate(MOST_NAMED);
        return Err(ActionError::BadRequest(format!(
            "The manifest of the app does not ask for {}",
            beyond.join(", ")
        )));
    }
    let mut rights = rights.clone();
    rights.sort();
    if rights.hosts.len() > MOST_HOSTS {
        return Err(ActionError::BadRequest(format!(
            "An app can be granted {MOST_HOSTS} hosts at most"
        )));
    }
    if let Some(chosen) = &rights.channels {
        if chosen.len() > MOST_CHANNELS {
            return Err(ActionError::BadRequest(format!(
                "An app can be limited to {MOST_CHANNELS} channels at most"
            )));
        }
        for id in chosen {
            let member = actor.member();
            if channel_facts::by_id(change.tx, change.realm_id, member, "", *id)?.is_none() {
                return Err(ActionError::BadRequest(format!("There is no channel {id}")));
            }
        }
    }
    let value =
        serde_json::to_value(&rights).map_err(|error| ActionError::Internal(error.to_string()))?;
    apps::set_rights(change.tx, app.row.id, &value.to_string())?;
    Ok(value)
}

fn set_up(
    change: &Change<'_, '_>,
    app: &Installed,
    settings: &BTreeMap<String, Value>,
) -> Result<(), ActionError> {
    let mut entered: BTreeMap<String, String> = serde_json::from_str(&app.row.settings)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    for (name, value) in settings {
        let setting = app.manifest.settings.iter().find(|one| one.name == *name);
        let setting = setting
            .ok_or_else(|| ActionError::BadRequest(format!("The app has no setting {name:?}")))?;
        if value.is_null() {
            entered.remove(name);
        } else {
            let text = setting.text_of(value).map_err(ActionError::BadRequest)?;
            entered.insert(name.clone(), text);
        }
    }
    // Settings of an earlier version go.
    entered.retain(|name, _| app.manifest.settings.iter().any(|one| one.name == *name));
    Ok(apps::set_settings(
        change.tx,
        app.row.id,
        &json!(entered).to_string(),
    )?)
}

fn store_secrets(
    change: &Change<'_, '_>,
    app: &Installed,
    wanted: &BTreeMap<String, Option<String>>,
) -> Result<(), ActionError> {
    for (name, value) in wanted {
        if app.manifest.secrets.iter().all(|one| one.name != *name) {
            return Err(ActionError::BadRequest(format!(
                "The app has no secret {name:?}"
            )));
        }
        let Some(value) = value else {
            secrets::delete(change.tx, app.row.id, name)?;
            continue;
        };
        // It becomes a part of a header.
        let is_sound = (1..=limits::SETTING_BYTES).contains(&value.len())
            && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !is_sound {
            return Err(ActionError::BadRequest(format!(
                "The secret {name:?} must have 1 to {} printable ASCII characters",
                limits::SETTING_BYTES
            )));
        }
        secrets::set(change.tx, app.row.id, name, value)?;
    }
    Ok(())
}

fn resume(change: &mut Change<'_, '_>, actor: &Actor, app: &Installed) -> Result<(), ActionError> {
    let tx = change.tx;
    if app.row.state != "paused" {
        return Ok(());
    }
    let owner = users::by_id(tx, change.realm_id, app.row.owner_id)?;
    let mut bot = users::by_id(tx, change.realm_id, app.bot_id())?.ok_or(DbError::NoRow)?;
    if !owner.is_some_and(|owner| owner.is_active) {
        let owner_id = actor.bot_owner_id.unwrap_or(actor.user_id);
        change_owner(change, &bot, owner_id)?;
        bot = users::by_id(tx, change.realm_id, app.bot_id())?.ok_or(DbError::NoRow)?;
    }
    if !bot.is_active {
        reactivate(change, &bot)?;
    }
    apps::resume(tx, app.row.id)?;
    write_log(
        tx,
        app.row.id,
        change.now,
        "An administrator has resumed it",
    )
}
