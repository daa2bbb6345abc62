//! Takes the second factor of an account away: by the person, or by others for a person who has lost it.

use serde_json::json;
use spindle_domain::policy::{may_administer_user, may_reset_second_factor};
use spindle_domain::{RealmId, UserId};
use spindle_store::{Connection, Freeing, SilentReason, WriteTx, audit, passkeys, second_factors};

use super::announce;
use super::proof::{Factor, pass_as_caller};
use crate::account::manage_account::{Change, Rule};
use crate::{ActionError, Actor, change};

/// Removes the app of the caller at `now` (UNIX seconds), and without passkeys the recovery codes as well.
///
/// # Errors
/// [`ActionError::BadRequest`] without an app; otherwise as a sign-in with a code.
pub fn remove_totp(
    db: &dyn Connection,
    actor: &Actor,
    now: i64,
    factor: Factor<'_>,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    pass_as_caller(db, actor, now, factor)?;
    let (realm_id, user_id) = (actor.realm_id, actor.user_id);
    change::silently(db, SilentReason::Credentials, |tx| {
        if !second_factors::delete_totp(tx, user_id)? {
            return Err(ActionError::bad_request(
                "Your account has no app for codes",
            ));
        }
        let own = Some(user_id);
        let kind = "user_second_factor_removed";
        audit::append(tx, realm_id, now, own, own, kind, "{}")?;
        announce(tx, (realm_id, user_id), now, "removed")?;
        end_without_factors(tx, user_id)
    })
}

/// After an app or a passkey was removed: if it was the last one, the account has no second factor.
pub(super) fn end_without_factors(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), ActionError> {
    let totp = second_factors::totp(tx, user_id)?;
    let has_totp = totp.is_some_and(|totp| totp.confirmed.is_some());
    if has_totp || !passkeys::list(tx, user_id)?.is_empty() {
        return Ok(());
    }
    remove_all(tx, user_id)
}

/// Takes the second factor of another account away at `now` (UNIX seconds). `acting` is none for the operator.
///
/// # Errors
/// [`ActionError::Denied`] when there is no such account, or `acting` is not above it; [`ActionError::BadRequest`] for the
/// account of `acting`, and without a second factor.
pub fn reset_second_factor(
    db: &dyn Connection,
    acting: Option<&Actor>,
    realm_id: RealmId,
    now: i64,
    user_id: UserId,
) -> Result<(), ActionError> {
    let db = &Freeing(db);
    let why = SilentReason::Credentials;
    if acting.is_some_and(|actor| actor.user_id == user_id) {
        return Err(ActionError::bad_request(
            "Remove your own second factor in your settings, with a code",
        ));
    }
    let rule: Rule = match acting {
        Some(_) => may_reset_second_factor,
        None => may_administer_user,
    };
    Change::silently(db, why, acting, realm_id, now, |change| {
        let user = change.access(user_id, rule)?.row;
        if user.second_factor_since.is_none() {
            return Err(ActionError::bad_request(
                "This account has no second factor",
            ));
        }
        remove_all(change.tx, user.id)?;
        change.audit(Some(user.id), "user_second_factor_reset", &json!({}))?;
        announce(change.tx, (realm_id, user.id), now, "reset")
    })
}

/// Removes everything. Keys no longer count as made with a second factor: where one is required, they end.
pub(crate) fn remove_all(tx: &WriteTx<'_>, user_id: UserId) -> Result<(), ActionError> {
    second_factors::delete_totp(tx, user_id)?;
    passkeys::delete_all(tx, user_id)?;
    second_factors::replace_recovery_codes(tx, user_id, &[])?;
    second_factors::set_since(tx, user_id, None)?;
    second_factors::unprove_keys(tx, user_id)?;
    Ok(())
}
