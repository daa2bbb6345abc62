//! Whether a caller may use an operation at all, whatever its parameters.
//!
//! Owns the translation of an operation's guard to the rule of the domain. It must not decide anything
//! about the object that an operation is about: that is the action's policy.

use crate::Guard;
use spindle_actions::Actor;
use spindle_domain::policy::{Caller, GuardLevel, Verdict, check_guard};
use spindle_wire::ApiError;

/// Checks the role decorator of an operation (docs/protocol/conventions.md#order,
/// docs/protocol/errors.md#statuses).
///
/// # Errors
/// 400 BAD_REQUEST for guests and bots, 400 UNAUTHORIZED_PRINCIPAL for a missing role.
pub(crate) fn check(guard: Guard, actor: Option<&Actor>) -> Result<(), ApiError> {
    let level = match guard {
        Guard::Anonymous | Guard::OptionalAuth => GuardLevel::Anyone,
        Guard::User | Guard::UserOrWebhook => GuardLevel::User,
        Guard::NotGuest => GuardLevel::NotGuest,
        Guard::Human => GuardLevel::Human,
        Guard::Administrator => GuardLevel::Administrator,
        Guard::Owner => GuardLevel::Owner,
    };
    let caller = actor.map(|actor| Caller {
        role: actor.role,
        is_bot: actor.is_bot,
    });
    match check_guard(level, caller) {
        Verdict::Allowed => Ok(()),
        Verdict::Denied(reason) => Err(ApiError::denied(reason)),
    }
}
