//! Sets an app up: a secret that counts for nothing until a code made from it has come back.

use spindle_domain::RealmId;
use spindle_domain::limits::FRESH_SESSION_SECONDS;
use spindle_events::{Event, credentials_ended};
use spindle_store::{
    Connection, Db, SilentReason, WriteTx, audit, second_factors, sessions, users,
};

use super::announce;
use super::codes::{self, Code, SECRET_LENGTH};
use crate::account::secrets;
use crate::{ActionError, Actor, change};

/// What a person puts into an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolment {
    /// In base 32, to be typed.
    pub secret: String,
    /// The same with the names of organization and account, for a picture.
    pub address: String,
}

/// Makes a secret for an app of the caller at `now` (UNIX seconds), in place of one that was not confirmed. Who finds an
/// open browser must not lock its owner out, so the caller proves themselves: with the password, or, where the account has
/// none, by having signed in a moment ago.
///
/// # Errors
/// [`ActionError::BadRequest`] when there is an app already, without a password, or with a session that is not fresh;
/// [`ActionError::WrongPassword`].
pub fn begin_totp(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    password: Option<&str>,
) -> Result<Enrolment, ActionError> {
    prove(db, actor, now, password)?;
    let secret = secrets::new_nonce::<SECRET_LENGTH>()?;
    change::silently(db, SilentReason::Credentials, |tx| {
        if second_factors::begin_totp(tx, actor.user_id, &secret, now)? {
            return Ok(());
        }
        Err(ActionError::bad_request(
            "Your account has an app already; remove it before you set up another one",
        ))
    })?;
    Ok(Enrolment {
        secret: codes::shown(&secret),
        address: codes::address(&secret, &actor.realm_name, &actor.delivery_email),
    })
}

/// Checks that the caller is the person, and not only at their open browser.
pub(super) fn prove(
    db: &dyn Db,
    actor: &Actor,
    now: i64,
    password: Option<&str>,
) -> Result<(), ActionError> {
    let hash = users::password_hash(db, Some(actor.user_id))?;
    if let Some(hash) = hash {
        let password = password.filter(|password| !password.is_empty());
        let password = password.ok_or_else(|| {
            ActionError::bad_request("password is required: the one that you sign in with")
        })?;
        return match secrets::is_password(password, Some(&hash))? {
            true => Ok(()),
            false => Err(ActionError::WrongPassword),
        };
    }
    let begun = match actor.session_id {
        Some(session_id) => sessions::created(db, actor.user_id, session_id)?,
        None => None,
    };
    if begun.is_some_and(|begun| now.saturating_sub(begun) <= FRESH_SESSION_SECONDS) {
        return Ok(());
    }
    Err(ActionError::bad_request(
        "Your account has no password: sign in again with your browser, and then set the app up",
    ))
}

/// Confirms the app with one of its codes at `now` (UNIX seconds). Returns the recovery codes, which cannot be read
/// again; none for an account that has some because of a passkey.
///
/// # Errors
/// [`ActionError::BadRequest`] for a wrong code, and without an app that waits for its first code.
pub fn confirm_totp(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    code: &str,
) -> Result<Vec<String>, ActionError> {
    let (realm_id, user_id): (RealmId, _) = (actor.realm_id, actor.user_id);
    change::if_needed(db, realm_id, now, |tx| {
        let totp = second_factors::totp(tx, user_id)?.filter(|totp| totp.confirmed.is_none());
        let totp = totp.ok_or_else(|| ActionError::bad_request("There is no app to confirm"))?;
        let step = match Code::read(code) {
            Code::Totp(digits) => codes::step_of(&totp.secret, &digits, now)?,
            Code::Recovery(_) | Code::Passkey => None,
        };
        let step = step.ok_or_else(|| {
            ActionError::bad_request(
                "This is not the current code of the app; if it should be, the clock of the phone is wrong",
            )
        })?;
        if !second_factors::confirm_totp(tx, user_id, step, now)? {
            return Err(ActionError::bad_request("There is no app to confirm"));
        }
        let own = Some(user_id);
        audit::append(tx, realm_id, now, own, own, "user_second_factor_set", "{}")?;
        announce(tx, (realm_id, user_id), now, "set")?;
        let (recovery_codes, ended) = begin_to_count(tx, actor, now)?;
        Ok(change::outcome(recovery_codes, ended))
    })
}

/// After an app or a passkey was added at `now`: if it is the first one, the account has a second factor, and recovery codes,
/// which are returned. Keys that were made without one end where one is required.
pub(super) fn begin_to_count(
    tx: &WriteTx<'_>,
    actor: &Actor,
    now: i64,
) -> Result<(Vec<String>, Option<Event>), ActionError> {
    let user_id = actor.user_id;
    if second_factors::is_enrolled(tx, user_id)? {
        return Ok((Vec::new(), None));
    }
    let (shown, hashes) = codes::recovery_codes()?;
    second_factors::set_since(tx, user_id, Some(now))?;
    second_factors::replace_recovery_codes(tx, user_id, &hashes)?;
    let ends =
        actor.must_have_second_factor() && second_factors::delete_unproven_keys(tx, user_id)?;
    Ok((shown, ends.then(|| credentials_ended(user_id))))
}
