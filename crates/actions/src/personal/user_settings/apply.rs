//! Writes one setting of one person.

use serde_json::{Value, json};
use spindle_domain::settings::language_name;
use spindle_events::kinds::{self, UserChange, UserStatusChange};
use spindle_store::users::UserRow;
use spindle_store::{user_settings, users};

use super::address::change_address_visibility;
use crate::account::manage_account::Change;
use crate::audience::administrators;
use crate::presence;
use crate::{ActionError, Settings};

/// Sets a setting of `user`, in the database and in the row. Returns whether
/// it had another one before; events and further consequences come only then.
pub(super) fn apply(
    change: &mut Change<'_, '_>,
    user: &mut UserRow,
    name: &'static str,
    value: &Value,
) -> Result<bool, ActionError> {
    let before = match name {
        "timezone" => json!(user_settings::time_zone(change.tx, user.id)?),
        _ => Settings::of_user(&user.settings).named(name),
    };
    if before == *value {
        return Ok(false);
    }
    let old_row = user.clone();
    match name {
        "timezone" => {
            let time_zone = value.as_str().unwrap_or_default();
            user_settings::set_time_zone(change.tx, user.id, time_zone)?;
        }
        _ => {
            users::set_setting(change.tx, user.id, name, &value.to_string())?;
            user.settings = user_settings::of_user(change.tx, user.id)?;
        }
    }
    let language = value.as_str().filter(|_| name == "default_language");
    let event = kinds::user_settings_update(
        user.id,
        name,
        value.clone(),
        language.and_then(language_name),
    );
    change.events.push(event);
    match name {
        "timezone" => emit_time_zone(change, user, value)?,
        "allow_private_data_export" => {
            let audience = administrators(change.tx, change.realm_id)?;
            let event = kinds::realm_export_consent(user.id, value == true, audience);
            change.events.push(event);
        }
        "presence_enabled" => emit_presence(change, user, value == true)?,
        "email_address_visibility" => change_address_visibility(change, &old_row, user)?,
        _ => {}
    }
    Ok(true)
}

fn emit_time_zone(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    value: &Value,
) -> Result<(), ActionError> {
    let update = UserChange::Timezone {
        email: user.email.clone(),
        timezone: value.as_str().unwrap_or_default().to_owned(),
    };
    let audience = change.who_sees(user)?;
    change
        .events
        .push(kinds::realm_user_update(user.id, update, audience));
    Ok(())
}

/// A status shows a user without a presence as away.
fn emit_presence(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    is_enabled: bool,
) -> Result<(), ActionError> {
    let status = UserStatusChange {
        away: Some(!is_enabled),
        ..UserStatusChange::default()
    };
    let audience = change.who_sees(user)?;
    change
        .events
        .push(kinds::user_status(user.id, status, audience));
    let (realm_id, now) = (change.realm_id, change.now);
    let event = presence::switch_presence(change.tx, realm_id, user, now, is_enabled)?;
    change.events.push(event);
    Ok(())
}
