//! The log of an app (docs/protocol/apps.md#get_app_log).

use spindle_domain::AppId;
use spindle_store::Db;
use spindle_store::apps::logs;

use super::access_app;
use crate::{ActionError, Actor};

/// The newest lines of the log of an app, the oldest of them first: a JSON list.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators; [`ActionError::BadRequest`] when there is no such app.
pub fn list_app_log(db: &dyn Db, actor: &Actor, app_id: AppId) -> Result<String, ActionError> {
    let app = access_app(db, actor, app_id)?;
    Ok(logs::list(db, app.row.id)?)
}
