//! A new password in the place of the old one, which has to be known.
//!
//! Hashes are slow on purpose, so that they are made before any lock is held.

use serde_json::json;
use spindle_store::users::UserRow;
use spindle_store::{Db, users};

use super::PasswordUpdate;
use crate::account::manage_account::Change;
use crate::account::secrets;
use crate::users::create_user::check_and_hash;
use crate::{ActionError, Actor};

/// A password that may be stored, as long as the old one has not changed meanwhile.
pub(super) struct NewPassword {
    old_hash: Option<String>,
    new_hash: String,
}

/// Checks the old password and hashes the new one.
///
/// # Errors
/// [`ActionError::WrongOldPassword`]; [`ActionError::BadRequest`] when the new one is too short or
/// too long.
pub(super) fn prepare(
    db: &dyn Db,
    actor: &Actor,
    update: &PasswordUpdate,
) -> Result<NewPassword, ActionError> {
    let old_hash = users::password_hash(db, actor.user_id.get())?;
    if !secrets::is_password(&update.old_password, old_hash.as_deref())? {
        return Err(ActionError::WrongOldPassword);
    }
    Ok(NewPassword {
        old_hash,
        new_hash: check_and_hash(&update.new_password)?,
    })
}

/// Stores it. API keys stay valid: they are revoked by rotating them.
pub(super) fn store(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    password: &NewPassword,
) -> Result<(), ActionError> {
    if users::password_hash(&change.tx, user.id)? != password.old_hash {
        return Err(ActionError::WrongOldPassword);
    }
    users::set_password_hash(&change.tx, user.id, &password.new_hash)?;
    change.audit(Some(user.id), "user_password_changed", &json!({}))
}
