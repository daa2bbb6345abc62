//! The log of an app (docs/protocol/apps.md#get_app_log).

use spindle_domain::AppId;
use spindle_store::apps::{by_component, logs};
use spindle_store::{Connection, Db, SilentReason};

use super::access_app;
use crate::app_events::write_log;
use crate::{ActionError, Actor, change};

/// The newest lines of the log of an app, the oldest of them first: a JSON list.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators; [`ActionError::BadRequest`] when there is no such app.
pub fn list_app_log(db: &dyn Db, actor: &Actor, app_id: AppId) -> Result<String, ActionError> {
    let app = access_app(db, actor, app_id)?;
    Ok(logs::list(db, app.row.id)?)
}

/// Writes to the log of an app why its component cannot be used. `hash` is the SHA-256 of the component, in hexadecimal; `now`
/// is in UNIX seconds.
///
/// # Errors
/// [`ActionError::Store`] when the database fails.
pub fn log_unusable_component(
    db: &dyn Connection,
    now: i64,
    hash: &str,
    reason: &str,
) -> Result<(), ActionError> {
    change::silently(db, SilentReason::Apps, |tx| match by_component(tx, hash)? {
        Some(app_id) => write_log(tx, app_id, now, reason),
        None => Ok(()),
    })
}
