//! Apps are paused when their account or their owner is deactivated.

use serde_json::json;
use spindle_domain::{RealmId, UserId};
use spindle_store::{WriteTx, apps, audit};

use super::write_log;
use crate::ActionError;

/// Pauses the apps that act as an account or that it owns, within the transaction that deactivates it.
pub(crate) fn pause_of_user(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    let reason = "The owner or the account of the app is deactivated";
    for app in apps::pause_of_user(tx, user_id, reason)? {
        write_log(tx, app.id, now, reason)?;
        let data = json!({"app_id": app.id, "name": app.name, "reason": reason}).to_string();
        audit::append(
            tx,
            realm_id,
            now,
            None,
            Some(app.bot_id),
            "app_paused",
            &data,
        )?;
    }
    Ok(())
}
