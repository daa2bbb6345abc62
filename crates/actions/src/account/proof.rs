//! The check of a password, which every way to sign in with one shares.
//!
//! Duration and answer must not reveal whether an account exists, so nothing about it is returned before the password
//! was right. A sign-in is also the only moment at which a hash of other parameters can be renewed.

use spindle_domain::RealmId;
use spindle_domain::errors::ClientError;
use spindle_store::users::UserRow;
use spindle_store::{Db, WriteTx, realms, users};

use crate::ActionError;
use crate::account::secrets;
use crate::account::ways::check_password_is_on;
use crate::actor::must_have_second_factor;
use crate::text::fold_name;

/// An active account whose password was right.
pub(crate) struct Proven {
    pub(crate) user: UserRow,
    /// Whether the account must have a second factor and has none.
    pub(crate) lacks_second_factor: bool,
    /// The hash that the password was compared with.
    stored: Option<String>,
    /// The hash to replace, and its replacement.
    renewal: Option<(String, String)>,
}

impl Proven {
    /// Checks a password; `user_name` is the API email or the real address.
    ///
    /// # Errors
    /// [`ClientError::AuthenticationFailed`] for an unknown name as for a wrong password; after a
    /// right one [`ClientError::UserDeactivated`] or [`ClientError::RealmDeactivated`]. For any where the organization uses
    /// no passwords [`ClientError::PasswordAuthDisabled`].
    pub(crate) fn by_password(
        db: &dyn Db,
        realm_id: RealmId,
        user_name: &str,
        password: &str,
    ) -> Result<Self, ActionError> {
        check_password_is_on(db, realm_id)?;
        let user = users::by_email(db, realm_id, &fold_name(user_name))?;
        // Read for an unknown name too, so that the duration does not reveal it.
        let stored = users::password_hash(db, user.as_ref().map(|user| user.id))?;
        let is_right = secrets::is_password(password, stored.as_deref())?;
        let user = user
            .filter(|_| is_right)
            .ok_or(ClientError::AuthenticationFailed)?;
        let realm = realms::by_id(db, realm_id)?.ok_or(ClientError::AuthenticationFailed)?;
        if realm.deactivated {
            return Err(ClientError::RealmDeactivated.into());
        }
        if !user.is_active {
            return Err(ClientError::UserDeactivated.into());
        }
        let outdated = stored.clone().filter(|hash| secrets::is_outdated(hash));
        let renewal = match outdated {
            Some(outdated) => Some((outdated, secrets::hash_password(password)?)),
            None => None,
        };
        let lacks_second_factor = user.second_factor_since.is_none()
            && must_have_second_factor(&realm.settings, user.role, user.is_bot);
        Ok(Self {
            user,
            lacks_second_factor,
            stored,
            renewal,
        })
    }

    /// Checks in the transaction what may have changed while the password was hashed, and stores the
    /// renewed hash, where there is one.
    ///
    /// # Errors
    /// [`ClientError::UserDeactivated`]; [`ClientError::AuthenticationFailed`] when the password is
    /// another one by now.
    pub(crate) fn confirm(&self, tx: &WriteTx<'_>) -> Result<(), ActionError> {
        let user = users::by_id(tx, self.user.realm_id, self.user.id)?;
        if user.is_none_or(|user| !user.is_active) {
            return Err(ClientError::UserDeactivated.into());
        }
        // Two concurrent sign-ins may both renew the hash of the same password.
        if let Some((old, new)) = &self.renewal {
            users::renew_password_hash(tx, self.user.id, old, new)?;
        } else if users::password_hash(tx, Some(self.user.id))? != self.stored {
            return Err(ClientError::AuthenticationFailed.into());
        }
        Ok(())
    }
}

/// The key under which password attempts are counted: the account with this address, or the name itself if no account
/// has it.
pub fn attempted(db: &dyn Db, user_name: &str) -> Result<String, ActionError> {
    let name = fold_name(user_name);
    // No address begins with a zero byte.
    Ok(match users::by_email(db, RealmId::ONLY, &name)? {
        Some(user) => format!("\0{}", user.id),
        None => name,
    })
}
