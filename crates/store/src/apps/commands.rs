//! The commands that apps declare. A name belongs to one app of the organization.

use spindle_domain::AppId;

use crate::{Db, DbError, WriteTx, params, row_struct, sql, statement};

/// Adds a command.
///
/// # Errors
/// [`DbError::NotUnique`] when an app has it already.
pub fn insert(
    tx: &WriteTx<'_>,
    app_id: AppId,
    name: &str,
    description: &str,
) -> Result<(), DbError> {
    tx.execute(
        statement!("INSERT INTO app_commands (name, app_id, description) VALUES (?1, ?2, ?3)"),
        &params![name, app_id, description],
    )?;
    Ok(())
}

/// Removes the commands of an app.
pub fn delete_of_app(tx: &WriteTx<'_>, app_id: AppId) -> Result<(), DbError> {
    tx.execute(
        statement!("DELETE FROM app_commands WHERE app_id = ?1"),
        &params![app_id],
    )?;
    Ok(())
}

/// The active app that has a command.
pub fn app_of(db: &dyn Db, name: &str) -> Result<Option<super::AppRow>, DbError> {
    db.query(
        sql!(
            "SELECT ",
            super::app_columns!(),
            " FROM app_commands c JOIN apps a ON a.id = c.app_id WHERE c.name = ?1 AND a.state = 'active'"
        ),
        &params![name],
    )?
    .first()
}

/// The first name of a JSON list that another app than this one has.
pub fn first_taken(
    db: &dyn Db,
    names: &str,
    but: Option<AppId>,
) -> Result<Option<String>, DbError> {
    db.query(
        sql!(
            "SELECT name FROM app_commands WHERE name IN (SELECT value FROM json_texts(?1)) \
             AND app_id IS DISTINCT FROM ?2:bigint ORDER BY name LIMIT 1"
        ),
        &params![names, but],
    )?
    .value()
}

row_struct! {
    /// A command of an active app.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CommandRow {
        pub name: String,
        pub description: String,
        /// JSON.
        pub manifest: String,
        /// JSON.
        pub rights: String,
    }
}

/// The commands of active apps, by name, with what says whether they are granted.
pub fn list(db: &dyn Db) -> Result<Vec<CommandRow>, DbError> {
    db.query(
        sql!(
            "SELECT c.name, c.description, a.manifest, a.rights FROM app_commands c JOIN apps a ON a.id = c.app_id \
             WHERE a.state = 'active' AND a.rights IS NOT NULL ORDER BY c.name"
        ),
        &[],
    )?
    .all()
}
