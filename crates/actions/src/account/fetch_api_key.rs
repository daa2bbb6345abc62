//! From user name and password to an API key.
//!
//! Only hashes of keys are stored, so every login gets a key of its own; the others stay
//! valid up to a limit. A login with a password counts as one (`date_joined` of stubs), and is the
//! only moment at which a hash of other parameters can be made anew.

use spindle_store::{Db, Emitted, WriteTx, audit, keys, realms, users};

use crate::account::authenticate::record_first_login;
use crate::account::secrets;
use crate::text::fold;
use crate::{ActionError, Actor};

/// What a successful login returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedKey {
    /// A key that was made for this login.
    pub api_key: String,
    /// API email.
    pub email: String,
    /// Account.
    pub user_id: i64,
}

/// Checks a password and issues a key at `now` (UNIX seconds). `user_name` is the API email
/// or the real address; `client` labels the key. Spec: protocol-facts 5.8.
///
/// # Errors
/// [`ActionError::AuthenticationFailed`] for an unknown name as for a wrong password; after a
/// right one [`ActionError::UserDeactivated`] or [`ActionError::RealmDeactivated`].
pub fn fetch_api_key(
    db: &dyn Db,
    realm_id: i64,
    now: i64,
    user_name: &str,
    password: &str,
    client: &str,
) -> Result<FetchedKey, ActionError> {
    let user = users::by_email(db, realm_id, &fold(user_name))?;
    // Asked for an unknown name too: the time must not tell.
    let stored = users::password_hash(db, user.as_ref().map_or(0, |user| user.id))?;
    let is_right = secrets::is_password(password, stored.as_deref())?;
    let user = user
        .filter(|_| is_right)
        .ok_or(ActionError::AuthenticationFailed)?;
    let realm = realms::by_id(db, realm_id)?.ok_or(ActionError::AuthenticationFailed)?;
    if realm.deactivated {
        return Err(ActionError::RealmDeactivated);
    }
    if !user.is_active {
        return Err(ActionError::UserDeactivated);
    }
    let outdated = stored.filter(|hash| secrets::is_outdated(hash));
    let renewed = match &outdated {
        Some(_) => Some(secrets::hash_password(password)?),
        None => None,
    };
    let api_key = secrets::new_api_key()?;
    let hash = secrets::hash_api_key(&api_key);
    let tx = WriteTx::begin(db)?;
    keys::insert(&tx, user.id, &hash, now, client)?;
    if let (Some(old), Some(new)) = (outdated, renewed) {
        users::renew_password_hash(&tx, user.id, &old, &new)?;
    }
    let id = Some(user.id);
    audit::append(&tx, realm_id, now, id, id, "user_api_key_fetched", "{}")?;
    tx.commit(
        realm_id,
        now,
        Emitted::Nothing("keys are not shown to clients"),
    )?;
    if user.last_login.is_none()
        && let Some(row) = keys::caller_by_hash(db, &hash)?
    {
        record_first_login(db, &mut Actor::from_row(row)?, now)?;
    }
    Ok(FetchedKey {
        api_key,
        email: user.email,
        user_id: user.id,
    })
}
