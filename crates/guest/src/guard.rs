//! Whether a caller may use an operation at all, whatever its parameters.
//!
//! Owns the translation of an operation's guard to the rule of the domain, and the shared token
//! of internal routes. It must not decide anything about the object that an operation is
//! about: that is the action's policy.

use crate::Guard;
use crate::environment::{Environment, INTERNAL};
use http::HeaderMap;
use spindle_actions::Actor;
use spindle_domain::policy::{Caller, GuardLevel, Verdict, check_guard};
use spindle_wire::ApiError;

/// Checks the role decorator of an operation (protocol-facts 1.1, step 6; 1.4).
///
/// # Errors
/// 400 BAD_REQUEST for guests and bots, 400 UNAUTHORIZED_PRINCIPAL for a missing role.
pub(crate) fn check(guard: Guard, actor: Option<&Actor>) -> Result<(), ApiError> {
    let level = match guard {
        Guard::Anonymous | Guard::OptionalAuth | Guard::Internal => GuardLevel::Anyone,
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

/// Whether the request carries the shared token. Compared without an early exit, so that the
/// time tells nothing; without a configured token nothing is ever equal to it.
pub(crate) fn has_token(headers: &HeaderMap, environment: &Environment) -> bool {
    let expected = environment.internal_token.as_bytes();
    let given = headers
        .get(INTERNAL)
        .map_or(&b""[..], |value| value.as_bytes());
    let differences = expected
        .iter()
        .zip(given)
        .fold(0, |differences, (left, right)| differences | (left ^ right));
    !expected.is_empty() && expected.len() == given.len() && differences == 0
}

/// Whether the event-queue service counts the request. Calls of its own timers come from an address
/// that local clients share, and are charged to nobody.
#[cfg(any(target_arch = "wasm32", test))]
pub(crate) fn is_counted(headers: &HeaderMap, environment: &Environment) -> bool {
    environment.rate_limit_via_events && !has_token(headers, environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_timers_are_charged_to_nobody() {
        let mut environment = Environment {
            internal_token: "secret".to_owned(),
            ..Environment::default()
        };
        let with_token = |token: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(INTERNAL, token.parse().unwrap());
            headers
        };
        assert!(!is_counted(&HeaderMap::new(), &environment));
        environment.rate_limit_via_events = true;
        assert!(is_counted(&HeaderMap::new(), &environment));
        assert!(is_counted(&with_token("guess"), &environment));
        assert!(!is_counted(&with_token("secret"), &environment));
    }

    fn opens(configured: &str, given: Option<&str>) -> bool {
        let environment = Environment {
            internal_token: configured.to_owned(),
            ..Environment::default()
        };
        let mut headers = HeaderMap::new();
        if let Some(given) = given {
            headers.insert(INTERNAL, given.parse().unwrap());
        }
        has_token(&headers, &environment)
    }

    #[test]
    fn only_the_configured_token_opens_internal_routes() {
        assert!(opens("secret", Some("secret")));
        for (configured, given) in [
            ("secret", None),
            ("secret", Some("")),
            ("secret", Some("secreT")),
            ("secret", Some("secret1")),
            ("", None),
            ("", Some("")),
        ] {
            assert!(!opens(configured, given), "{configured:?} {given:?}");
        }
    }
}
