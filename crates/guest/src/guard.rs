//! Checks the guard of an operation for the account that authentication has found.
//!
//! The rule is the domain's ([`check_guard`]). It must not decide anything about the object of an
//! operation: that is the action's policy.

use spindle_actions::Actor;
use spindle_domain::policy::{Caller, Guard, Verdict, check_guard};
use spindle_wire::ApiError;

/// Checks the guard (docs/protocol/conventions.md#order, docs/protocol/errors.md#statuses).
///
/// # Errors
/// 400 BAD_REQUEST for guests and bots, 400 UNAUTHORIZED_PRINCIPAL for a missing role.
pub(crate) fn check(guard: Guard, actor: Option<&Actor>) -> Result<(), ApiError> {
    let caller = actor.map(|actor| Caller {
        role: actor.role,
        is_bot: actor.is_bot,
    });
    match check_guard(guard, caller) {
        Verdict::Allowed => Ok(()),
        Verdict::Denied(reason) => Err(ApiError::denied(reason)),
    }
}
