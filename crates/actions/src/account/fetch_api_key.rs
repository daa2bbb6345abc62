//! Issues an API key for a user name and a password.
//!
//! Only hashes of keys are stored, so every login gets a key of its own; the others stay
//! valid up to a limit. A login with a password counts as one (`date_joined` of stubs).

use spindle_domain::{RealmId, UserId};
use spindle_events::credentials_ended;
use spindle_store::users::UserRow;
use spindle_store::{Connection, audit, keys};

use crate::account::origin::{SignInOrigin, record_refusal};
use crate::account::proof::Proven;
use crate::account::secrets;
use crate::account::sessions::{announce, log_in};
use crate::{ActionError, change};

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
/// or the real address; the client labels the key. See docs/protocol/sessions.md#fetch_api_key.
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
    origin: SignInOrigin<'_>,
) -> Result<FetchedKey, ActionError> {
    let fetched = issue(db, realm_id, now, user_name, password, origin);
    let cause = (origin, "fetch_api_key");
    record_refusal(db, realm_id, now, user_name, cause, &fetched);
    let (api_key, user) = fetched?;
    log_in(db, now, user.id, user.last_login)?;
    Ok(FetchedKey {
        api_key,
        email: user.email,
        user_id: user.id,
    })
}

fn issue(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    user_name: &str,
    password: &str,
    origin: SignInOrigin<'_>,
) -> Result<(String, UserRow), ActionError> {
    let proven = Proven::by_password(db, realm_id, user_name, password)?;
    let api_key = secrets::new_api_key()?;
    let hash = secrets::hash_api_key(&api_key);
    change::if_needed(db, realm_id, now, |tx| {
        proven.confirm(tx)?;
        announce(tx, now, &proven.user, origin.client)?;
        let replaces = keys::insert(tx, proven.user.id, &hash, now, origin.client)?;
        let id = Some(proven.user.id);
        let data = origin.data([]).to_string();
        audit::append(tx, realm_id, now, id, id, "user_api_key_fetched", &data)?;
        let ended = replaces.then(|| credentials_ended(proven.user.id));
        Ok(change::outcome((), ended))
    })?;
    Ok((api_key, proven.user))
}
