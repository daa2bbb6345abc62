//! The check of a code or a passkey, which every way in and every change of the second factor shares.
//!
//! Only called after a password, a link or a session was right: an answer that a code is needed must reveal nothing about
//! an account to others.

use serde_json::json;
use spindle_domain::errors::ClientError;
use spindle_domain::policy::pause_after_wrong_codes;
use spindle_domain::{RealmId, UserId};
use spindle_store::second_factors::{self, Totp};
use spindle_store::users::UserRow;
use spindle_store::{Connection, SilentReason, WriteTx, audit};

use super::announce;
use super::codes::{self, Code};
use crate::account::passkeys::{self, PasskeyHost};
use crate::{ActionError, Actor, change};

/// The longest pause after wrong codes; a clock that was set back must not make it longer.
const LONGEST_PAUSE: i64 = 24 * 60 * 60;

/// What a person sends as their second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor<'a> {
    /// A code of the app, a recovery code, or the answer of a passkey as JSON.
    pub text: &'a str,
    /// Where passkeys are valid.
    pub host: PasskeyHost<'a>,
}

/// Whose code is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entrant {
    realm_id: RealmId,
    user_id: UserId,
    /// Whether there is a second factor at all.
    is_enrolled: bool,
}

impl From<&UserRow> for Entrant {
    fn from(user: &UserRow) -> Self {
        Self {
            realm_id: user.realm_id,
            user_id: user.id,
            is_enrolled: user.second_factor_since.is_some(),
        }
    }
}

/// Uses the code of a person up at `now` (UNIX seconds), in a transaction of its own. Without a second factor nothing is
/// checked.
///
/// # Errors
/// [`ClientError::SecondFactorRequired`] without a code; [`ClientError::InvalidSecondFactor`] for a wrong one, and for one
/// that was used before; [`ClientError::RateLimitHit`] after too many wrong ones.
pub(crate) fn pass(
    db: &dyn Connection,
    entrant: Entrant,
    now: i64,
    factor: Option<Factor<'_>>,
) -> Result<(), ActionError> {
    if !entrant.is_enrolled {
        return Ok(());
    }
    let factor = factor.filter(|factor| !factor.text.trim().is_empty());
    let factor = factor.ok_or_else(required)?;
    let code = match Code::read(factor.text) {
        Code::Passkey => return pass_by_passkey(db, entrant, now, factor),
        code => code,
    };
    // The count of a wrong code is committed, so the refusal is the value of the change.
    change::silently(db, SilentReason::Credentials, |tx| {
        let is_right = match &code {
            Code::Totp(digits) => check_totp(tx, entrant.user_id, now, digits)?,
            Code::Recovery(letters) => Ok(take_recovery_code(tx, entrant, now, letters)?),
            Code::Passkey => Ok(false),
        };
        Ok(match is_right {
            Ok(true) => Ok(()),
            Ok(false) => Err(ClientError::InvalidSecondFactor.into()),
            Err(closed) => Err(closed.into()),
        })
    })?
}

/// Uses the answer of a passkey of the person up.
fn pass_by_passkey(
    db: &dyn Connection,
    entrant: Entrant,
    now: i64,
    factor: Factor<'_>,
) -> Result<(), ActionError> {
    let checked = passkeys::check(db, now, factor.host, factor.text)?;
    if checked.user_id != entrant.user_id {
        return Err(ClientError::InvalidSecondFactor.into());
    }
    change::silently(db, SilentReason::Credentials, |tx| checked.use_up(tx, now))
}

/// As [`pass`], for the caller, who must have a second factor.
///
/// # Errors
/// Also [`ActionError::BadRequest`] without one.
pub(super) fn pass_as_caller(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    factor: Factor<'_>,
) -> Result<(), ActionError> {
    if !second_factors::is_enrolled(db, actor.user_id)? {
        return Err(ActionError::bad_request(
            "Your account has no second factor",
        ));
    }
    let entrant = Entrant {
        realm_id: actor.realm_id,
        user_id: actor.user_id,
        is_enrolled: true,
    };
    pass(db, entrant, now, Some(factor))
}

fn required() -> ActionError {
    let text = "This account has a second factor: send a code of its app, a recovery code, or the answer of a passkey";
    ClientError::SecondFactorRequired {
        text: text.to_owned(),
    }
    .into()
}

/// Uses up a code of the app; false for a wrong or used one. The inner error refuses every code after too many wrong ones.
fn check_totp(
    tx: &WriteTx<'_>,
    user_id: UserId,
    now: i64,
    digits: &str,
) -> Result<Result<bool, ClientError>, ActionError> {
    let totp = second_factors::totp(tx, user_id)?;
    let Some(totp) = totp.filter(|totp| totp.confirmed.is_some()) else {
        return Ok(Ok(false));
    };
    if let Some(retry_after) = closed_for(&totp, now) {
        let retry_after = retry_after as f64;
        return Ok(Err(ClientError::RateLimitHit { retry_after }));
    }
    if let Some(step) = codes::step_of(&totp.secret, digits, now)?
        && second_factors::use_step(tx, user_id, step)?
    {
        return Ok(Ok(true));
    }
    let pause = pause_after_wrong_codes(totp.wrong_codes + 1);
    second_factors::count_wrong_code(tx, user_id, now + pause)?;
    Ok(Ok(false))
}

/// Seconds until a code is compared again.
fn closed_for(totp: &Totp, now: i64) -> Option<i64> {
    let left = totp.closed_until - now;
    (1..=LONGEST_PAUSE).contains(&left).then_some(left)
}

fn take_recovery_code(
    tx: &WriteTx<'_>,
    entrant: Entrant,
    now: i64,
    letters: &str,
) -> Result<bool, ActionError> {
    let Entrant {
        realm_id, user_id, ..
    } = entrant;
    if !second_factors::take_recovery_code(tx, user_id, &codes::hash(letters))? {
        return Ok(false);
    }
    let own = Some(user_id);
    let left = second_factors::count_recovery_codes(tx, user_id)?;
    let data = json!({"left": left}).to_string();
    let kind = "user_recovery_code_used";
    audit::append(tx, realm_id, now, own, own, kind, &data)?;
    announce(tx, (realm_id, user_id), now, "recovery_code_used")?;
    Ok(true)
}
