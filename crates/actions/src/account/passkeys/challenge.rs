//! Asks for an answer of a passkey, whose person is known only when it has come.

use serde_json::Value;
use spindle_domain::RealmId;
use spindle_store::{Db, DbError, realms};

use super::PasskeyHost;
use super::sealed::seal;
use crate::ActionError;
use crate::account::link_keys::Purpose;

/// What goes to the browser.
#[derive(Debug, Clone, PartialEq)]
pub struct PasskeyChallenge {
    /// What the browser passes on to its devices, in the JSON form of WebAuthn.
    pub options: Value,
    /// To be sent back with the answer.
    pub state: String,
}

/// Makes a challenge at `now` (UNIX seconds), for signing in or wherever a code is needed.
///
/// # Errors
/// [`ActionError::BadRequest`] where no passkeys can be made.
pub fn begin_passkey_answer(
    db: &dyn Db,
    realm_id: RealmId,
    now: i64,
    host: PasskeyHost<'_>,
) -> Result<PasskeyChallenge, ActionError> {
    let realm = realms::by_id(db, realm_id)?.ok_or(DbError::NoRow)?;
    let begun = host
        .webauthn(&realm.name)?
        .start_discoverable_authentication();
    let (options, state) =
        begun.map_err(|error| ActionError::Internal(format!("a challenge: {error}")))?;
    let options = serde_json::to_value(options.public_key);
    Ok(PasskeyChallenge {
        options: options.map_err(|error| ActionError::Internal(error.to_string()))?,
        state: seal(host, Purpose::PasskeyAnswer, now, None, state)?,
    })
}
