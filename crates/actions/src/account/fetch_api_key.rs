//! Issues an API key for a user name and a password.
//!
//! Only hashes of keys are stored, so every login gets a key of its own; the others stay
//! valid up to a limit. A login with a password counts as one (`date_joined` of stubs).

use serde_json::Value;
use spindle_domain::errors::ClientError;
use spindle_domain::{RealmId, UserId};
use spindle_events::{Event, credentials_ended};
use spindle_store::users::UserRow;
use spindle_store::{Connection, WriteTx, audit, keys, second_factors};

use crate::account::origin::{SignInOrigin, record_refusal};
use crate::account::proof::Proven;
use crate::account::sessions::{PasswordProof, announce, log_in};
use crate::account::{second_factor, secrets};
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

/// Checks a password and, where there is one, the second factor, and issues a key at `now` (UNIX seconds). The client
/// labels the key. See docs/protocol/sessions.md#fetch_api_key.
///
/// # Errors
/// `ClientError::AuthenticationFailed` for an unknown name as for a wrong password; after a
/// right one `ClientError::UserDeactivated` or `ClientError::RealmDeactivated`, then
/// `ClientError::SecondFactorRequired` without a code, also for a person who must have a second factor and has none,
/// `ClientError::InvalidSecondFactor` and `ClientError::RateLimitHit`.
pub fn fetch_api_key(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    proof: PasswordProof<'_>,
    origin: SignInOrigin<'_>,
) -> Result<FetchedKey, ActionError> {
    let fetched = issue(db, realm_id, now, proof, origin);
    let cause = (origin, "fetch_api_key");
    record_refusal(db, realm_id, now, proof.user_name, cause, &fetched);
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
    proof: PasswordProof<'_>,
    origin: SignInOrigin<'_>,
) -> Result<(String, UserRow), ActionError> {
    let proven = Proven::by_password(db, realm_id, proof.user_name, proof.password)?;
    if proven.lacks_second_factor {
        let text = "Your account must have a second factor: sign in with a browser to set it up";
        return Err(ClientError::SecondFactorRequired {
            text: text.to_owned(),
        }
        .into());
    }
    second_factor::pass(db, (&proven.user).into(), now, proof.second_factor)?;
    let api_key = secrets::new_api_key()?;
    change::if_needed(db, realm_id, now, |tx| {
        proven.confirm(tx)?;
        announce(tx, now, &proven.user, origin.client)?;
        let proves = proven.user.second_factor_since.is_some();
        let key = NewKey {
            api_key: &api_key,
            proves_second_factor: proves,
            further: None,
        };
        let ended = write_key(tx, realm_id, now, proven.user.id, &key, origin)?;
        Ok(change::outcome((), ended))
    })?;
    Ok((api_key, proven.user))
}

/// A key that is to be stored.
pub(crate) struct NewKey<'a> {
    pub(crate) api_key: &'a str,
    /// Whether a second factor was checked.
    pub(crate) proves_second_factor: bool,
    /// A further field of the entry of the audit log.
    pub(crate) further: Option<(&'static str, Value)>,
}

/// Stores a key. Beyond the limit it ends the oldest one, which is an event.
pub(crate) fn write_key(
    tx: &WriteTx<'_>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
    key: &NewKey<'_>,
    origin: SignInOrigin<'_>,
) -> Result<Option<Event>, ActionError> {
    let hash = secrets::hash_api_key(key.api_key);
    let replaces = keys::insert(tx, user_id, &hash, now, origin.client)?;
    if key.proves_second_factor {
        second_factors::prove_key(tx, &hash)?;
    }
    let own = Some(user_id);
    let data = origin.data(key.further.clone()).to_string();
    audit::append(tx, realm_id, now, own, own, "user_api_key_fetched", &data)?;
    Ok(replaces.then(|| credentials_ended(user_id)))
}
