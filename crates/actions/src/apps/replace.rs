//! Updates an app: its component is replaced (docs/protocol/apps.md#update_app_component).

use serde_json::json;
use spindle_domain::AppId;
use spindle_domain::apps::Secret;
use spindle_store::apps::{self, commands, secrets};
use spindle_store::{Connection, Db, WriteTx};

use super::install::{add_commands, check_commands};
use super::{AppFile, access_app, access_to_change};
use crate::account::manage_account::Change;
use crate::app_events::{Installed, write_log};
use crate::files::{release, take};
use crate::{ActionError, Actor};

/// Whether a component can replace that of an app, before it is stored.
///
/// # Errors
/// As [`replace_component`].
pub fn check_replacement(
    db: &dyn Db,
    actor: &Actor,
    app_id: AppId,
    file: &AppFile,
) -> Result<(), ActionError> {
    let app = access_app(db, actor, app_id)?;
    file.check_name(actor, &app.manifest.name)?;
    check_commands(db, file, Some(app_id))
}

/// Replaces the component of an app by one whose blob is stored, at `now` (UNIX seconds). Values and settings stay,
/// and secrets and granted rights as far as the new manifest asks for the same; what it asks for in addition is not granted.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators; [`ActionError::BadRequest`] when there is no such app, the
/// component is that of another one, or a command is taken.
pub fn replace_component(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    app_id: AppId,
    file: &AppFile,
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let tx = change.tx;
        check_replacement(tx, actor, app_id, file)?;
        let app = access_to_change(change, actor, app_id)?;
        keep_consent(tx, &app, file)?;
        apps::set_component(tx, app_id, file.component(), now)?;
        commands::delete_of_app(tx, app_id)?;
        add_commands(tx, app_id, file)?;
        take(tx, &[&file.blob_key])?;
        release(tx, &[&app.row.component_key], now)?;
        let (old, new) = (&app.manifest.version, &file.manifest.version);
        write_log(tx, app_id, now, &format!("Updated from {old} to {new}"))?;
        let data = json!({"app_id": app_id, "name": app.manifest.name, "old": old, "new": new});
        change.audit(Some(app.bot_id()), "app_updated", &data)
    })
}

/// What was granted and set for the earlier version stays only as far as the new one asks for the same: a right that it does not
/// ask for is not granted if a later version does, and a secret goes to no other host.
fn keep_consent(tx: &WriteTx<'_>, app: &Installed, file: &AppFile) -> Result<(), ActionError> {
    let app_id = app.row.id;
    if app.row.rights.is_some() {
        let rights = serde_json::to_string(&app.rights.within(&file.manifest))
            .map_err(|error| ActionError::Internal(error.to_string()))?;
        apps::set_rights(tx, app_id, &rights)?;
    }
    for secret in &app.manifest.secrets {
        let is_same = |new: &Secret| new.name == secret.name && new.host == secret.host;
        if !file.manifest.secrets.iter().any(is_same) {
            secrets::delete(tx, app_id, &secret.name)?;
        }
    }
    Ok(())
}
