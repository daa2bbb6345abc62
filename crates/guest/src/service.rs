//! Failures of calls to the event-queue service.

use crate::error::Failure;
use http::StatusCode;
use spindle_domain::errors::ClientError;
use spindle_wire::{ApiError, Dependency};

/// The cause of a refusal by a service that has another token.
pub(crate) const WRONG_TOKEN: &str = "the event service refuses the variable internal_token: it must be \
                                      the --token (SPINDLE_TOKEN) of `spindle events`";

/// The service was not reached, for this reason.
pub(crate) fn unreachable(cause: impl Into<String>) -> Failure {
    Failure {
        answer: ApiError::unreachable(Dependency::Events),
        cause: Some(format!(
            "the event service is unreachable: {}",
            cause.into()
        )),
    }
}

/// The service was reached and did not `act`.
pub(crate) fn refused(status: StatusCode, act: &str) -> Failure {
    match status {
        StatusCode::INSUFFICIENT_STORAGE => ClientError::StorageFull.into(),
        StatusCode::SERVICE_UNAVAILABLE => ApiError::unreachable(Dependency::Files).into(),
        StatusCode::FORBIDDEN => Failure {
            answer: ApiError::unreachable(Dependency::Events),
            cause: Some(WRONG_TOKEN.to_owned()),
        },
        // From a proxy in front of the service.
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => unreachable(status.to_string()),
        status => Failure::internal(format!("the event service did not {act}: {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(failure: Failure) -> (u16, String, bool, Option<String>) {
        let (status, text) = (
            failure.answer.status().as_u16(),
            failure.answer.msg().to_owned(),
        );
        let response = failure.answer.into_response();
        let may_repeat = response.headers().contains_key("retry-after");
        (status, text, may_repeat, failure.cause)
    }

    #[test]
    fn a_service_that_is_down_is_named_and_may_be_tried_again() {
        for failure in [
            unreachable("connection refused"),
            refused(StatusCode::BAD_GATEWAY, "store a blob"),
        ] {
            let (status, text, may_repeat, cause) = answer(failure);
            assert_eq!((status, may_repeat), (503, true));
            assert!(
                text.starts_with("The event service is unreachable"),
                "{text}"
            );
            assert!(cause.unwrap().contains("unreachable: "));
        }
    }

    #[test]
    fn a_wrong_token_is_named_in_the_log_alone() {
        let (status, text, may_repeat, cause) = answer(refused(StatusCode::FORBIDDEN, "x"));
        assert_eq!((status, may_repeat), (503, true));
        assert!(!text.contains("token"), "{text}");
        assert!(cause.unwrap().contains("internal_token"));
    }

    #[test]
    fn files_that_cannot_be_reached_are_named() {
        let (status, text, _, _) = answer(refused(StatusCode::SERVICE_UNAVAILABLE, "x"));
        assert_eq!(status, 503);
        assert!(
            text.starts_with("The file storage is unreachable"),
            "{text}"
        );
        assert_eq!(answer(refused(StatusCode::NOT_FOUND, "x")).0, 500);
    }
}
