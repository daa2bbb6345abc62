//! Changes the caller's own settings, name, address and password
//! (docs/protocol/settings.md#update_settings), all of it or nothing.

use spindle_domain::policy::{Reason, may_change_own};
use spindle_domain::{RealmSetting, realm_setting};
use spindle_store::users::UserRow;
use spindle_store::{Connection, DbError, mail_service, user_settings, users};

use super::apply::apply;
use super::{SettingValues, password};
use crate::account::manage_account::Change;
use crate::text::fold_name;
use crate::users::confirm_address::{ask_to_confirm, check_may_change};
use crate::users::update_user::{change_full_name, try_own_address, write_email};
use crate::{ActionError, Actor};

/// A password and the one that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordUpdate {
    /// The current password.
    pub old_password: String,
    /// The new password.
    pub new_password: String,
}

/// The parameters of the operation; none leaves a value as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccountUpdate {
    /// Settings.
    pub values: SettingValues,
    pub full_name: Option<String>,
    /// Real address. Where mail is configured, it takes effect when it is confirmed.
    pub email: Option<String>,
    /// Password.
    pub password: Option<PasswordUpdate>,
}

/// Changes the caller's account at `now` (UNIX seconds). A value that is unchanged causes no event.
///
/// # Errors
/// [`ActionError::WrongOldPassword`]; [`ActionError::BadRequest`] for a bad new password, and for
/// an address or a name that is malformed or taken; [`ActionError::Denied`] where the organization
/// does not let people change it; `ClientError::RateLimitHit` for an address that changes too
/// often. Nothing is changed then.
pub fn update_settings(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    update: &AccountUpdate,
) -> Result<(), ActionError> {
    let password = update
        .password
        .as_ref()
        .map(|update| password::prepare(db, actor, update))
        .transpose()?;
    if let Some(email) = update.email.as_deref().map(str::trim)
        && email != actor.delivery_email
    {
        check_may_change(actor)?;
        try_own_address(db, actor, now, email)?;
    }
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let mut user = read(change, actor)?;
        if let Some(password) = &password {
            password::store(change, &user, password)?;
        }
        if let Some(email) = update.email.as_deref().map(str::trim)
            && email != user.delivery_email
        {
            check_may_change(actor)?;
            // The same address in another spelling is confirmed already.
            let is_other = fold_name(email) != fold_name(&user.delivery_email);
            if is_other && mail_service::is_on(change.tx, change.realm_id)? {
                ask_to_confirm(change, &user, email)?;
            } else {
                write_email(change, &user, email)?;
                user = read(change, actor)?;
            }
        }
        if let Some(name) = update.full_name.as_deref().map(str::trim)
            && name != user.full_name
        {
            check_allowed(actor, realm_setting!("name_changes_disabled"))?;
            change_full_name(change, &user, name)?;
            user = read(change, actor)?;
        }
        write_values(change, &mut user, &update.values)
    })
}

/// Changes settings alone, as [`update_settings`] does. It is apart, so that a component without passwords can use it.
pub(crate) fn update_values(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    values: &SettingValues,
) -> Result<(), ActionError> {
    Change::if_needed(db, Some(actor), actor.realm_id, now, |change| {
        let mut user = read(change, actor)?;
        write_values(change, &mut user, values)
    })
}

fn write_values(
    change: &mut Change<'_, '_>,
    user: &mut UserRow,
    values: &SettingValues,
) -> Result<(), ActionError> {
    for (name, value) in values {
        if apply(change, user, name, value)? {
            user_settings::mark_edited(change.tx, user.id, name)?;
        }
    }
    Ok(())
}

fn read(change: &Change<'_, '_>, actor: &Actor) -> Result<UserRow, ActionError> {
    let user = users::by_id(change.tx, change.realm_id, actor.user_id)?;
    Ok(user.ok_or(DbError::NoRow)?)
}

/// Whether the organization has switched such changes off (`setting`).
fn check_allowed(actor: &Actor, setting: RealmSetting) -> Result<(), Reason> {
    may_change_own(actor.role, actor.realm_settings().is_on(setting)).check()
}
