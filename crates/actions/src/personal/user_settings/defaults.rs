//! Changes the settings that new people start with (docs/protocol/register.md#sections,
//! docs/protocol/settings.md#update_realm_user_settings_defaults; administrators only).

use serde_json::json;
use spindle_events::kinds;
use spindle_store::{Connection, user_settings};

use super::SettingValues;
use crate::account::manage_account::Change;
use crate::{ActionError, Actor, Settings};

/// Changes defaults of the organization at `now` (UNIX seconds). People who are there already
/// keep their settings. The caller was checked to be an administrator by the guard.
pub fn update_user_settings_defaults(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    values: &SettingValues,
) -> Result<(), ActionError> {
    let realm_id = actor.realm_id;
    Change::if_needed(db, Some(actor), realm_id, now, |change| {
        let before = Settings::of_user(&user_settings::defaults(change.tx, realm_id)?);
        for (name, value) in values {
            let old = before.named(name);
            if old == *value {
                continue;
            }
            user_settings::set_default(change.tx, realm_id, name, &value.to_string())?;
            let event = kinds::realm_user_settings_defaults_update(name, value.clone());
            change.events.push(event);
            let data = json!({"property": name, "old": old, "new": value});
            change.audit(None, "realm_user_settings_default_changed", &data)?;
        }
        Ok(())
    })
}
