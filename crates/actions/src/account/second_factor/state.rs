//! What second factor the caller has.

use spindle_domain::passkey::passkey_host;
use spindle_store::{Connection, ReadTx, second_factors, users};

use crate::account::passkeys::{self, ListedPasskey};
use crate::{ActionError, Actor};

/// The second factor of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactorState {
    /// Since when an app is on (UNIX seconds).
    pub totp_since: Option<i64>,
    pub passkeys: Vec<ListedPasskey>,
    /// Whether passkeys can be made at the address of the server.
    pub can_have_passkeys: bool,
    pub recovery_codes_left: i64,
    /// Whether the organization requires one of the caller.
    pub is_required: bool,
    /// Whether the account has a password, with which an app is set up.
    pub has_password: bool,
}

/// Reads it; `site` is the address of the server.
pub fn second_factor_state(
    db: &dyn Connection,
    actor: &Actor,
    site: &str,
) -> Result<SecondFactorState, ActionError> {
    let tx = ReadTx::begin(db)?;
    let totp = second_factors::totp(&tx, actor.user_id)?;
    Ok(SecondFactorState {
        totp_since: totp.and_then(|totp| totp.confirmed),
        passkeys: passkeys::list(&tx, actor.user_id, site)?,
        can_have_passkeys: passkey_host(site).is_some(),
        recovery_codes_left: second_factors::count_recovery_codes(&tx, actor.user_id)?,
        is_required: actor.must_have_second_factor(),
        has_password: users::password_hash(&tx, Some(actor.user_id))?.is_some(),
    })
}
