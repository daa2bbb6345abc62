//! Replaces the caller's password; they have to know the old one.
//!
//! Hashes are slow on purpose, so that they are made before any lock is held.

use serde_json::json;
use spindle_events::credentials_ended;
use spindle_store::users::UserRow;
use spindle_store::{Db, DbError, users};

use super::PasswordUpdate;
use crate::account::manage_account::Change;
use crate::account::{passwords, secrets, sessions};
use crate::{ActionError, Actor};

/// A password that may be stored unless the old one has changed in between.
pub(super) struct NewPassword {
    old_hash: Option<String>,
    new_hash: String,
}

/// Checks the old password and hashes the new one.
///
/// # Errors
/// [`ActionError::BadRequest`] when the new one is too short, too long or too easy to guess, which is checked first
/// since it is quick; [`ActionError::WrongOldPassword`].
pub(super) fn prepare(
    db: &dyn Db,
    actor: &Actor,
    update: &PasswordUpdate,
) -> Result<NewPassword, ActionError> {
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    let user = users::by_id(db, realm_id, user_id)?.ok_or(DbError::NoRow)?;
    passwords::check(
        &update.new_password,
        &[&user.full_name, &user.delivery_email],
    )?;
    let old_hash = users::password_hash(db, Some(user_id))?;
    if !secrets::is_password(&update.old_password, old_hash.as_deref())? {
        return Err(ActionError::WrongOldPassword);
    }
    Ok(NewPassword {
        old_hash,
        new_hash: secrets::hash_password(&update.new_password)?,
    })
}

/// Stores it, and ends all sessions but the one of the request. API keys stay valid: they are revoked
/// by rotating them.
pub(super) fn store(
    change: &mut Change<'_, '_>,
    user: &UserRow,
    password: &NewPassword,
) -> Result<(), ActionError> {
    if users::password_hash(change.tx, Some(user.id))? != password.old_hash {
        return Err(ActionError::WrongOldPassword);
    }
    users::set_password_hash(change.tx, user.id, &password.new_hash)?;
    let current = change.acting.and_then(|actor| actor.session_id);
    sessions::end_all(change.tx, user.id, current)?;
    change.events.push(credentials_ended(user.id));
    change.audit(Some(user.id), "user_password_changed", &json!({}))
}
