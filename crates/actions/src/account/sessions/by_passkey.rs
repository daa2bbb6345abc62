//! Signs a person in with a passkey alone.

use spindle_domain::RealmId;
use spindle_domain::errors::ClientError;
use spindle_store::{Connection, realms, users};

use super::sign_in::{NewIn, NewSession, announce, recorded, write_session};
use crate::account::origin::SignInOrigin;
use crate::account::passkeys::{PasskeyHost, check};
use crate::account::ways;
use crate::{ActionError, change};

/// Checks the answer of a passkey and begins a session at `now` (UNIX seconds).
///
/// # Errors
/// [`ClientError::InvalidSecondFactor`] for a wrong answer; [`ActionError::BadRequest`] where the organization does not sign
/// people in by passkeys, and for one of another address; with a right one [`ClientError::UserDeactivated`] or
/// [`ClientError::RealmDeactivated`].
pub fn sign_in_by_passkey(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    (host, answer): (PasskeyHost<'_>, &str),
    origin: SignInOrigin<'_>,
) -> Result<NewSession, ActionError> {
    let begun = begin(db, realm_id, now, (host, answer), origin);
    recorded(db, realm_id, now, (origin, ""), begun)
}

fn begin(
    db: &dyn Connection,
    realm_id: RealmId,
    now: i64,
    (host, answer): (PasskeyHost<'_>, &str),
    origin: SignInOrigin<'_>,
) -> Result<(NewSession, Option<i64>), ActionError> {
    if !ways::read(db, realm_id)?.has_passkeys() {
        return Err(ActionError::bad_request(
            "The organization does not sign people in by passkeys alone",
        ));
    }
    let checked = check(db, now, host, answer)?;
    change::if_needed(db, realm_id, now, |tx| {
        checked.use_up(tx, now)?;
        let gone = || ActionError::from(ClientError::InvalidSecondFactor);
        let user = users::by_id(tx, realm_id, checked.user_id)?.ok_or_else(gone)?;
        let realm = realms::by_id(tx, realm_id)?.ok_or_else(gone)?;
        if realm.deactivated {
            return Err(ClientError::RealmDeactivated.into());
        }
        if !user.is_active {
            return Err(ClientError::UserDeactivated.into());
        }
        announce(tx, now, &user, origin.client)?;
        let by = NewIn::new(origin, "passkey");
        let (session, ended) = write_session(tx, realm_id, now, user.id, by)?;
        Ok(change::outcome((session, user.last_login), ended))
    })
}
