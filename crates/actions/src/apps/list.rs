//! Lists the apps for administrators (docs/protocol/apps.md#get_apps).

use std::collections::BTreeMap;

use serde::Serialize;
use spindle_domain::apps::{Channels, Command, EventKind, Manifest, Rights, Secret, Setting};
use spindle_domain::{AppId, UserId};
use spindle_store::{Db, apps};

use super::InstalledComponent;
use super::{access_app, require_administrator};
use crate::app_events::Installed;
use crate::{ActionError, Actor};

/// An app as administrators see it (docs/protocol/apps.md#app-object).
#[derive(Debug, Clone, Serialize)]
pub struct AppObject {
    pub app_id: AppId,
    pub name: String,
    pub title: String,
    pub description: String,
    pub version: String,
    pub bot_user_id: UserId,
    pub owner_id: UserId,
    /// `waiting`, `active` or `paused`.
    pub state: String,
    pub paused_reason: Option<String>,
    /// Bytes.
    pub component_size: i64,
    /// The key that has signed it.
    pub signed_by: Option<String>,
    /// UNIX seconds.
    pub installed: i64,
    /// UNIX seconds.
    pub updated: i64,
    pub manifest: Wanted,
    /// What was granted of it.
    pub rights: Option<Rights>,
    pub missing_rights: MissingRights,
    pub settings: BTreeMap<String, String>,
    /// Names.
    pub secrets_set: Vec<String>,
    pub waiting_events: i64,
    pub webhook_url: Option<String>,
}

/// What an app asks for.
#[derive(Debug, Clone, Serialize)]
pub struct Wanted {
    pub events: Vec<EventKind>,
    pub commands: Vec<Command>,
    pub hosts: Vec<String>,
    pub channels: Channels,
    pub settings: Vec<Setting>,
    pub secrets: Vec<Secret>,
}

/// What an app asks for and was not granted.
#[derive(Debug, Clone, Serialize)]
pub struct MissingRights {
    pub events: Vec<EventKind>,
    pub commands: Vec<String>,
    pub hosts: Vec<String>,
}

/// All apps, by name. `site` is the server's address, without a slash at its end.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators.
pub fn list_apps(db: &dyn Db, actor: &Actor, site: &str) -> Result<Vec<AppObject>, ActionError> {
    require_administrator(actor)?;
    let rows = apps::list(db, actor.realm_id)?;
    rows.into_iter()
        .map(|row| object(db, Installed::of(row)?, site))
        .collect()
}

/// The components of all apps, for the host's job.
///
/// # Errors
/// [`ActionError::Store`] when the database fails.
pub fn installed_components(db: &dyn Db) -> Result<Vec<InstalledComponent>, ActionError> {
    Ok(apps::components(db)?)
}

/// One app.
///
/// # Errors
/// As [`list_apps`]; [`ActionError::BadRequest`] when there is no such app.
pub fn find_app(
    db: &dyn Db,
    actor: &Actor,
    site: &str,
    app_id: AppId,
) -> Result<AppObject, ActionError> {
    object(db, access_app(db, actor, app_id)?, site)
}

fn object(db: &dyn Db, app: Installed, site: &str) -> Result<AppObject, ActionError> {
    let Installed {
        row,
        manifest,
        rights,
    } = app;
    let missing = rights.missing(&manifest);
    let webhook_url = match rights.events.contains(&EventKind::Webhook) {
        true => apps::webhook_key(db, row.id)?
            .map(|key| format!("{site}/api/v1/external/app?api_key={key}")),
        false => None,
    };
    let Manifest {
        name,
        title,
        description,
        version,
        events,
        commands,
        hosts,
        channels,
        settings,
        secrets,
    } = manifest;
    let entered = serde_json::from_str(&row.settings)
        .map_err(|error| ActionError::Internal(error.to_string()))?;
    Ok(AppObject {
        app_id: row.id,
        name,
        title,
        description,
        version,
        bot_user_id: row.bot_id,
        owner_id: row.owner_id,
        paused_reason: row.paused_reason,
        component_size: row.component_size,
        signed_by: row.signed_by,
        installed: row.installed,
        updated: row.updated,
        manifest: Wanted {
            events,
            commands,
            hosts,
            channels,
            settings,
            secrets,
        },
        rights: row.rights.is_some().then_some(rights),
        missing_rights: MissingRights {
            events: missing.events,
            commands: missing.commands,
            hosts: missing.hosts,
        },
        state: row.state,
        settings: entered,
        secrets_set: apps::secrets::names(db, row.id)?,
        waiting_events: apps::events::count(db, row.id)?,
        webhook_url,
    })
}
