//! Issues an API key for a user name and a password.
//!
//! Only hashes of keys are stored, so every login gets a key of its own; the others stay
//! valid up to a limit. A login with a password counts as one (`date_joined` of stubs).

use spindle_domain::{RealmId, UserId};
use spindle_events::credentials_ended;
use spindle_store::{Connection, audit, keys};

use crate::account::authenticate::record_first_login;
use crate::account::proof::Proven;
use crate::account::secrets;
use crate::{ActionError, Actor, change};

/// What a successful login returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedKey {
    /// The key that was created for this login.
    pub api_key: String,
    /// API email.
    pub email: String,
    pub user_id: UserId,
}

/// Checks a password and issues a key at `now` (UNIX seconds). `user_name` is the API email
/// or the real address; `client` labels the key. See docs/protocol/sessions.md#fetch_api_key.
///
/// # Errors
/// `ClientError::AuthenticationFailed` for an unknown name as for a wrong password; after a
/// right one `ClientError::UserDeactivated` or `ClientError::RealmDeactivated`.
pub fn fetch_api_key(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_name: &str,
    password: &str,
    client: &str,
) -> Result<FetchedKey, ActionError> {
    let proven = Proven::by_password(db, realm_id, user_name, password)?;
    let api_key = secrets::new_api_key()?;
    let hash = secrets::hash_api_key(&api_key);
    change::if_needed(db, realm_id, now, |tx| {
        proven.confirm(tx)?;
        let replaces = keys::insert(tx, proven.user.id, &hash, now, client)?;
        let id = Some(proven.user.id);
        audit::append(tx, realm_id, now, id, id, "user_api_key_fetched", "{}")?;
        let ended = replaces.then(|| credentials_ended(proven.user.id));
        Ok(change::outcome((), ended))
    })?;
    let user = proven.user;
    if user.last_login.is_none()
        && let Some(row) = keys::caller_by_hash(db, &hash)?
    {
        record_first_login(db, &mut Actor::from_row(row), now)?;
    }
    Ok(FetchedKey {
        api_key,
        email: user.email,
        user_id: user.id,
    })
}
