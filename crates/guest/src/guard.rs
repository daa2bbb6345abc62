//! Checks the scope of the key and the guard of an operation for the account that authentication has found.
//!
//! The rules are the domain's ([`check_scope`], [`check_guard`]). They must not decide anything about the object of an
//! operation: that is the action's policy.

use crate::Operation;
use spindle_actions::Actor;
use spindle_domain::errors::ClientError;
use spindle_domain::policy::{Caller, Scope, Verdict, check_guard, check_scope};
use spindle_wire::{ApiError, Params};

/// Refuses people who must have a second factor and have none, except where they set it up
/// (docs/protocol/second-factor.md#required).
///
/// # Errors
/// 401 SECOND_FACTOR_REQUIRED.
fn check_second_factor(operation: &Operation, actor: Option<&Actor>) -> Result<(), ApiError> {
    if operation.before_second_factor || !actor.is_some_and(Actor::lacks_second_factor) {
        return Ok(());
    }
    let text = "The organization requires a second factor of your account: sign in with a browser to set it up";
    Err(ClientError::SecondFactorRequired {
        text: text.to_owned(),
    }
    .into())
}

/// Checks second factor, scope and guard (docs/protocol/conventions.md#order, docs/protocol/errors.md#statuses). The scope comes before
/// the role, which it lowers.
///
/// # Errors
/// 401 SECOND_FACTOR_REQUIRED, 400 INSUFFICIENT_SCOPE, 400 BAD_REQUEST for guests and bots, 400 UNAUTHORIZED_PRINCIPAL for a missing role.
pub(crate) fn check(operation: &Operation, actor: Option<&Actor>) -> Result<(), ApiError> {
    check_second_factor(operation, actor)?;
    if let Some(actor) = actor {
        judge(check_scope(actor.scope, operation.needed_scope()))?;
    }
    let caller = actor.map(|actor| Caller {
        role: actor.role,
        is_bot: actor.is_bot,
    });
    judge(check_guard(operation.guard, caller))
}

/// Refuses parameters that change a password or an address if the key may not.
///
/// # Errors
/// 400 INSUFFICIENT_SCOPE.
pub(crate) fn check_parameters(
    operation: &Operation,
    params: &Params<'_>,
    actor: Option<&Actor>,
) -> Result<(), ApiError> {
    // Forms send fields that were left empty.
    let is_sent = |name: &&str| {
        params
            .optional_text(name)
            .is_some_and(|text| !text.is_empty())
    };
    match actor {
        Some(actor) if operation.credentials.iter().any(is_sent) => {
            judge(check_scope(actor.scope, Scope::Account))
        }
        _ => Ok(()),
    }
}

fn judge(verdict: Verdict) -> Result<(), ApiError> {
    match verdict {
        Verdict::Allowed => Ok(()),
        Verdict::Denied(reason) => Err(ApiError::denied(reason)),
    }
}
