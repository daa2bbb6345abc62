//! The check of a passkey's answer.

use serde::Deserialize;
use spindle_domain::errors::ClientError;
use spindle_domain::{PasskeyId, UserId};
use spindle_store::{Db, WriteTx, passkeys};
use webauthn_rs::prelude::{
    DiscoverableAuthentication, DiscoverableKey, Passkey, PublicKeyCredential,
};

use super::PasskeyHost;
use super::sealed::open;
use crate::ActionError;
use crate::account::link_keys::Purpose;

/// An answer as the browser sends it.
#[derive(Deserialize)]
struct Answer {
    /// Of the challenge.
    state: String,
    credential: PublicKeyCredential,
}

/// An answer that was right, and is not used up yet.
pub(crate) struct Checked {
    pub(crate) user_id: UserId,
    id: PasskeyId,
    /// When the challenge was made.
    challenge: i64,
    /// The credential with its new counter.
    credential: String,
}

/// Checks an answer at `now` (UNIX seconds).
///
/// # Errors
/// [`ClientError::InvalidSecondFactor`] for an answer that is wrong or too late; [`ActionError::BadRequest`] for a passkey
/// that was made for another address of the server.
pub(crate) fn check(
    db: &dyn Db,
    now: i64,
    host: PasskeyHost<'_>,
    answer: &str,
) -> Result<Checked, ActionError> {
    let wrong = || ActionError::from(ClientError::InvalidSecondFactor);
    let Answer { state, credential } = serde_json::from_str(answer).map_err(|_| wrong())?;
    let opened = open(host, Purpose::PasskeyAnswer, now, None, &state)?;
    let (challenge, state): (_, DiscoverableAuthentication) = opened.ok_or_else(wrong)?;
    let stored = passkeys::find(db, credential.get_credential_id())?.ok_or_else(wrong)?;
    if stored.rp_id != host.id()? {
        return Err(ActionError::BadRequest(format!(
            "This passkey was made for {}, and works nowhere else",
            stored.rp_id
        )));
    }
    if credential.get_user_unique_id() != Some(stored.user_handle.as_slice()) {
        return Err(wrong());
    }
    let mut passkey: Passkey = read(&stored.credential)?;
    let key = DiscoverableKey::from(&passkey);
    let webauthn = host.webauthn(host.id()?)?;
    let result = webauthn
        .finish_discoverable_authentication_v2(&credential, state, &key)
        .map_err(|_| wrong())?;
    if !result.user_verified() {
        return Err(wrong());
    }
    passkey.update_credential(&result);
    Ok(Checked {
        user_id: stored.user_id,
        id: stored.id,
        challenge,
        credential: write(&passkey)?,
    })
}

impl Checked {
    /// Uses the answer up.
    ///
    /// # Errors
    /// [`ClientError::InvalidSecondFactor`] when it was used before.
    pub(crate) fn use_up(&self, tx: &WriteTx<'_>, now: i64) -> Result<(), ActionError> {
        match passkeys::note_use(tx, self.id, self.challenge, &self.credential, now)? {
            true => Ok(()),
            false => Err(ClientError::InvalidSecondFactor.into()),
        }
    }
}

fn read(text: &str) -> Result<Passkey, ActionError> {
    serde_json::from_str(text)
        .map_err(|error| ActionError::Internal(format!("a stored passkey: {error}")))
}

/// The form in which a credential is stored.
pub(in crate::account) fn write(passkey: &Passkey) -> Result<String, ActionError> {
    serde_json::to_string(passkey)
        .map_err(|error| ActionError::Internal(format!("a passkey: {error}")))
}
