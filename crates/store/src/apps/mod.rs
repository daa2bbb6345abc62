//! Apps that are installed: the account that each acts as, its component, what it asks for and what was granted.
//!
//! Manifest, rights and settings are JSON that `spindle-domain` reads. What belongs to an app is in the modules below, one
//! for each table.

pub mod commands;
pub mod events;
pub mod fetches;
pub mod logs;
pub mod runs;
pub mod schedules;
pub mod secrets;
#[cfg(test)]
mod tests;
pub mod values;

use spindle_domain::{AppId, RealmId, UserId};

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

row_struct! {
    /// An app, without its webhook's key and its secrets.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct AppRow {
        pub id: AppId,
        /// The account that it acts as.
        pub bot_id: UserId,
        /// Who is responsible for it.
        pub owner_id: UserId,
        pub name: String,
        /// JSON, from the component.
        pub manifest: String,
        /// JSON; `None` means that nothing was granted yet.
        pub rights: Option<String>,
        /// A JSON object.
        pub settings: String,
        /// SHA-256, hexadecimal.
        pub component_hash: String,
        /// Of the blob.
        pub component_key: String,
        /// Bytes.
        pub component_size: i64,
        /// The key that has signed it; `None` where none was asked for.
        pub signed_by: Option<String>,
        /// `waiting`, `active` or `paused`.
        pub state: String,
        /// Of a paused one.
        pub paused_reason: Option<String>,
        /// Grows with everything that a run depends on.
        pub version: i64,
        /// UNIX seconds.
        pub installed: i64,
        /// UNIX seconds.
        pub updated: i64,
    }
}

/// The columns of [`AppRow`].
macro_rules! app_columns {
    () => {
        "a.id, a.bot_id, a.owner_id, a.name, a.manifest, a.rights, a.settings, a.component_hash, a.component_key, \
         a.component_size, a.signed_by, a.state, a.paused_reason, a.version, a.installed, a.updated"
    };
}
pub(crate) use app_columns;

/// An app to be installed; nothing is granted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApp<'a> {
    pub realm_id: RealmId,
    pub bot_id: UserId,
    pub owner_id: UserId,
    pub name: &'a str,
    /// Secret, but for administrators.
    pub webhook_key: &'a str,
    pub component: Component<'a>,
    /// UNIX seconds.
    pub installed: i64,
}

/// The program of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Component<'a> {
    /// JSON.
    pub manifest: &'a str,
    /// SHA-256, hexadecimal.
    pub hash: &'a str,
    /// Of the blob.
    pub key: &'a str,
    /// Bytes.
    pub size: i64,
    /// The key that has signed it, if one was asked for.
    pub signed_by: Option<&'a str>,
}

/// Adds an app.
///
/// # Errors
/// [`DbError::NotUnique`] when an app has this name.
pub fn insert(tx: &WriteTx<'_>, new: &NewApp<'_>) -> Result<AppId, DbError> {
    tx.execute(
        statement!(
            "INSERT INTO apps (realm_id, bot_id, owner_id, name, webhook_key, manifest, component_hash, component_key, \
             component_size, signed_by, state, installed, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'waiting', ?11, ?11) RETURNING id"
        ),
        &params![
            new.realm_id,
            new.bot_id,
            new.owner_id,
            new.name,
            new.webhook_key,
            new.component.manifest,
            new.component.hash,
            new.component.key,
            new.component.size,
            new.component.signed_by,
            new.installed,
        ],
    )?
    .one_value()
}

/// All apps of an organization, by name.
pub fn list(db: &dyn Db, realm_id: RealmId) -> Result<Vec<AppRow>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            app_columns!(),
            " FROM apps a WHERE a.realm_id = ?1 ORDER BY a.name"
        ),
        &params![realm_id],
    )?
    .all()
}

row_struct! {
    /// The component of an app; no two apps have the same one, since their names are in it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct InstalledComponent {
        /// SHA-256, hexadecimal.
        pub hash: String,
        /// Of the blob.
        pub key: String,
    }
}

/// The components of all apps; those of active apps come first.
pub fn components(db: &dyn Db) -> Result<Vec<InstalledComponent>, DbError> {
    db.query(
        sql!(
            "SELECT component_hash AS hash, component_key AS key FROM apps ORDER BY state <> 'active', id"
        ),
        &params![],
    )?
    .all()
}

/// The app with a component.
pub fn by_component(db: &dyn Db, hash: &str) -> Result<Option<AppId>, DbError> {
    db.query(
        sql!("SELECT id FROM apps WHERE component_hash = ?1"),
        &params![hash],
    )?
    .value()
}

/// Whether an app has this name.
pub fn is_name_taken(db: &dyn Db, name: &str) -> Result<bool, DbError> {
    db.query(
        sql!("SELECT EXISTS (SELECT 1 FROM apps WHERE name = ?1)"),
        &params![name],
    )?
    .one_value()
}

/// How many apps an organization has.
pub fn count(db: &dyn Db, realm_id: RealmId) -> Result<i64, DbError> {
    db.query(
        sql!("SELECT count(*) FROM apps WHERE realm_id = ?1"),
        &params![realm_id],
    )?
    .one_value()
}

/// An app of an organization.
pub fn by_id(db: &dyn Db, realm_id: RealmId, id: AppId) -> Result<Option<AppRow>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            app_columns!(),
            " FROM apps a WHERE a.realm_id = ?1 AND a.id = ?2"
        ),
        &params![realm_id, id],
    )?
    .first()
}

/// The active apps among the accounts of a JSON list of ids.
pub fn active_of(db: &dyn Db, bot_ids: &str) -> Result<Vec<AppRow>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            app_columns!(),
            " FROM apps a WHERE a.bot_id IN (SELECT value FROM json_ids(?1)) AND a.state = 'active' ORDER BY a.id"
        ),
        &params![bot_ids],
    )?
    .all()
}

/// The app whose webhook has this key.
pub fn by_webhook_key(db: &dyn Db, key: &str) -> Result<Option<AppRow>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            app_columns!(),
            " FROM apps a WHERE a.webhook_key = ?1"
        ),
        &params![key],
    )?
    .first()
}

/// The key of the webhook of an app.
pub fn webhook_key(db: &dyn Db, id: AppId) -> Result<Option<String>, DbError> {
    db.query(
        sql!("SELECT webhook_key FROM apps WHERE id = ?1"),
        &params![id],
    )?
    .value()
}

/// Replaces the granted rights (JSON); an app that waited for them is active.
pub fn set_rights(tx: &WriteTx<'_>, id: AppId, rights: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE apps SET rights = ?2, state = iif(state = 'waiting', 'active', state), version = version + 1 \
             WHERE id = ?1"
        ),
        &params![id, rights],
    )?;
    Ok(())
}

/// Replaces the settings (a JSON object).
pub fn set_settings(tx: &WriteTx<'_>, id: AppId, settings: &str) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE apps SET settings = ?2, version = version + 1 WHERE id = ?1"),
        &params![id, settings],
    )?;
    Ok(())
}

/// Makes an account responsible for the app that acts as a bot, if there is one.
pub fn set_owner(tx: &WriteTx<'_>, bot_id: UserId, owner_id: UserId) -> Result<(), DbError> {
    tx.execute(
        statement!("UPDATE apps SET owner_id = ?2 WHERE bot_id = ?1"),
        &params![bot_id, owner_id],
    )?;
    Ok(())
}

/// Pauses an active app, and says why.
pub fn pause(tx: &WriteTx<'_>, id: AppId, reason: &str) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE apps SET state = 'paused', paused_reason = ?2, version = version + 1 \
             WHERE id = ?1 AND state = 'active'"
        ),
        &params![id, reason],
    )?;
    Ok(())
}

row_struct! {
    /// An app that was paused.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PausedRow {
        pub id: AppId,
        pub name: String,
        pub bot_id: UserId,
    }
}

/// Names of the active apps that an account owns.
pub fn active_of_owner(db: &dyn Db, owner_id: UserId) -> Result<Vec<String>, DbError> {
    db.query(
        sql!("SELECT name FROM apps WHERE owner_id = ?1 AND state = 'active' ORDER BY name"),
        &params![owner_id],
    )?
    .values()
}

/// Pauses the active apps that an account owns or that act as it.
pub fn pause_of_user(
    tx: &WriteTx<'_>,
    user_id: UserId,
    reason: &str,
) -> Result<Vec<PausedRow>, DbError> {
    tx.execute(
        statement!(
            "UPDATE apps SET state = 'paused', paused_reason = ?2, version = version + 1 \
             WHERE (owner_id = ?1 OR bot_id = ?1) AND state = 'active' RETURNING id, name, bot_id"
        ),
        &params![user_id, reason],
    )?
    .all()
}

/// Lets a paused app run again.
pub fn resume(tx: &WriteTx<'_>, id: AppId) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE apps SET state = iif(rights IS NULL, 'waiting', 'active'), paused_reason = NULL, \
             version = version + 1 WHERE id = ?1 AND state = 'paused'"
        ),
        &params![id],
    )?;
    Ok(())
}

/// Replaces the program of an app, at `now` (UNIX seconds).
pub fn set_component(
    tx: &WriteTx<'_>,
    id: AppId,
    component: Component<'_>,
    now: i64,
) -> Result<(), DbError> {
    tx.execute(
        statement!(
            "UPDATE apps SET manifest = ?2, component_hash = ?3, component_key = ?4, component_size = ?5, signed_by = ?6, updated = ?7, \
             version = version + 1 WHERE id = ?1"
        ),
        &params![
            id,
            component.manifest,
            component.hash,
            component.key,
            component.size,
            component.signed_by,
            now
        ],
    )?;
    Ok(())
}

/// Removes an app and all that belongs to it.
pub fn delete(tx: &WriteTx<'_>, id: AppId) -> Result<(), DbError> {
    tx.execute(statement!("DELETE FROM apps WHERE id = ?1"), &params![id])?;
    Ok(())
}
