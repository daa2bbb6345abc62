//! Removes an app (docs/protocol/apps.md#remove_app).

use serde::Serialize;
use serde_json::json;
use spindle_domain::AppId;
use spindle_store::apps::{self, events, schedules, values};
use spindle_store::{Connection, Freeing, users};

use super::access_to_change;
use crate::account::manage_account::Change;
use crate::files::release;
use crate::users::end_bot;
use crate::{ActionError, Actor};

/// How much was deleted with an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RemovedApp {
    pub values: i64,
    pub events: i64,
    pub schedules: i64,
}

/// Removes an app with all that it has stored and deactivates its account, at `now` (UNIX seconds). Its messages stay.
///
/// # Errors
/// [`ActionError::Denied`] for others than administrators; [`ActionError::BadRequest`] when there is no such app.
pub fn remove_app(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    app_id: AppId,
) -> Result<RemovedApp, ActionError> {
    let db = &Freeing(db);
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let tx = change.tx;
        let app = access_to_change(change, actor, app_id)?;
        let removed = RemovedApp {
            values: values::count(tx, app_id)?,
            events: events::count(tx, app_id)?,
            schedules: schedules::count(tx, app_id)?,
        };
        release(tx, &[&app.row.component_key], now)?;
        apps::delete(tx, app_id)?;
        if let Some(bot) = users::by_id(tx, change.realm_id, app.bot_id())?
            && bot.is_active
        {
            end_bot(change, &bot)?;
        }
        let data = json!({"app_id": app_id, "name": app.manifest.name, "deleted": removed});
        change.audit(Some(app.bot_id()), "app_removed", &data)?;
        Ok(removed)
    })
}
