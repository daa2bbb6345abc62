//! Installs an app (docs/protocol/apps.md#install_app).

use serde_json::json;
use spindle_domain::apps::limits;
use spindle_domain::limits::quotas::Quota;
use spindle_domain::{AppId, RealmId};
use spindle_store::apps::{self, NewApp, commands};
use spindle_store::bots::{self, BotRow};
use spindle_store::{Connection, Db, WriteTx, users};

use super::{AppFile, require_administrator};
use crate::account::manage_account::Change;
use crate::account::secrets;
use crate::files::take;
use crate::text::{check_name_is_free, fold_name};
use crate::users::create_user::{NewAccount, Prepared, write_bot_account};
use crate::{ActionError, Actor, quota};

/// Addresses that are tried for the account of an app: accounts of removed apps keep theirs.
const MOST_ADDRESSES: u32 = 1_000;

/// Whether an app can be installed, before its component is stored.
///
/// # Errors
/// As [`install_app`].
pub fn check_new_app(db: &dyn Db, actor: &Actor, file: &AppFile) -> Result<(), ActionError> {
    require_administrator(actor)?;
    let name = &file.manifest.name;
    if apps::is_name_taken(db, name)? {
        return Err(ActionError::BadRequest(format!(
            "The app {name:?} is already installed"
        )));
    }
    if apps::count(db, actor.realm_id)? >= limits::APPS {
        return Err(ActionError::BadRequest(format!(
            "An organization can have {} apps at most",
            limits::APPS
        )));
    }
    check_commands(db, file, None)
}

/// Whether the commands of an app are free.
pub(crate) fn check_commands(
    db: &dyn Db,
    file: &AppFile,
    app_id: Option<AppId>,
) -> Result<(), ActionError> {
    match commands::first_taken(db, &file.command_names(), app_id)? {
        Some(name) => Err(ActionError::BadRequest(format!(
            "Another app has the command /{name}"
        ))),
        None => Ok(()),
    }
}

/// Installs an app, whose blob is stored, at `now` (UNIX seconds), with an account that belongs to `actor`, or to
/// its owner. `domain` is
/// that of the addresses of bots. It runs when rights are granted.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators; [`ActionError::BadRequest`] when its name, its title or a command
/// is taken, or there are too many apps or bots.
pub fn install_app(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    file: &AppFile,
    domain: &str,
) -> Result<AppId, ActionError> {
    let manifest = &file.manifest;
    // A person is responsible, also when one of their bots installs it.
    let owner_id = actor.bot_owner_id.unwrap_or(actor.user_id);
    let mut prepared = Prepared::new(&NewAccount {
        email: address(&manifest.name, 1, domain),
        full_name: manifest.title.clone(),
        is_bot: true,
        bot_owner_id: Some(owner_id),
        ..NewAccount::default()
    })?;
    prepared.bot_type = Some(1);
    let webhook_key = secrets::new_api_key()?;
    Change::emitting(db, Some(actor), actor.realm_id, now, |change| {
        check_new_app(change.tx, actor, file)?;
        if bots::is_name_taken(
            change.tx,
            actor.realm_id,
            &fold_name(&prepared.full_name),
            None,
        )? {
            return Err(ActionError::bad_request(
                "Another bot already has the title of this app as its name",
            ));
        }
        check_name_is_free(change.tx, actor.realm_id, &prepared.full_name, None)?;
        let account = Prepared {
            email: free_address(change.tx, actor.realm_id, &manifest.name, domain)?,
            ..prepared.clone()
        };
        let bot_id = write_bot_account(change, &account, &BotRow::default())?;
        quota::check(change.tx, Quota::Bots, owner_id)?;
        quota::check(change.tx, Quota::AllBots, change.realm_id)?;
        let new = NewApp {
            realm_id: actor.realm_id,
            bot_id,
            owner_id,
            name: &manifest.name,
            webhook_key: &webhook_key,
            component: file.component(),
            installed: now,
        };
        let app_id = apps::insert(change.tx, &new)?;
        add_commands(change.tx, app_id, file)?;
        take(change.tx, &[&file.blob_key])?;
        let data = json!({"app_id": app_id, "name": manifest.name, "version": manifest.version});
        change.audit(Some(bot_id), "app_installed", &data)?;
        Ok(app_id)
    })
}

pub(crate) fn add_commands(
    tx: &WriteTx<'_>,
    app_id: AppId,
    file: &AppFile,
) -> Result<(), ActionError> {
    for command in &file.manifest.commands {
        commands::insert(tx, app_id, &command.name, &command.description)?;
    }
    Ok(())
}

fn address(name: &str, number: u32, domain: &str) -> String {
    match number {
        1 => format!("{name}-app-bot@{domain}"),
        number => format!("{name}-app-{number}-bot@{domain}"),
    }
}

fn free_address(
    db: &dyn Db,
    realm_id: RealmId,
    name: &str,
    domain: &str,
) -> Result<String, ActionError> {
    for number in 1..=MOST_ADDRESSES {
        let email = address(name, number, domain);
        if users::by_email(db, realm_id, &fold_name(&email))?.is_none() {
            return Ok(email);
        }
    }
    Err(ActionError::bad_request(
        "An app with this name was installed too often",
    ))
}
