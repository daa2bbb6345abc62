//! From the errors of actions and of the database to the errors that clients see.
//!
//! Errors with a code of their own are a [`ClientError`] and pass through; the others get their
//! texts here. The cause of an internal error stays with the [`Failure`] until it is logged; it
//! must never get into an answer.

use serde_json::json;
use spindle_actions::ActionError;
use spindle_store::DbError;
use spindle_wire::{ApiError, ClientError, Dependency};

/// Why an operation does not succeed: the answer for the client, and the cause for the log.
#[derive(Debug)]
pub struct Failure {
    pub answer: ApiError,
    /// The cause of an internal error.
    pub cause: Option<String>,
}

impl Failure {
    /// An internal error with its cause.
    pub fn internal(cause: impl Into<String>) -> Self {
        Self {
            answer: ApiError::internal(),
            cause: Some(cause.into()),
        }
    }
}

impl From<ApiError> for Failure {
    fn from(answer: ApiError) -> Self {
        Self {
            answer,
            cause: None,
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<DbError> for Failure {
    fn from(cause: DbError) -> Self {
        match cause {
            // The host says so once, not with each request.
            DbError::Full(_) => ClientError::StorageFull.into(),
            DbError::TryAgain(_) | DbError::Conflict(_) => Self {
                answer: ApiError::try_again(),
                cause: Some(cause.to_string()),
            },
            DbError::Unreachable(_) => Self {
                answer: ApiError::unreachable(Dependency::Database),
                cause: Some(cause.to_string()),
            },
            DbError::Overloaded(_) => ApiError::try_again().into(),
            cause => Self::internal(cause.to_string()),
        }
    }
}

impl From<ActionError> for Failure {
    fn from(error: ActionError) -> Self {
        use ActionError as E;
        let answer = match error {
            E::Store(cause) => return cause.into(),
            E::Internal(cause) => return Self::internal(cause),
            E::Denied(reason) => ApiError::denied(reason),
            E::BadRequest(text) => ApiError::bad_request(text),
            E::Invalid(fields) => ApiError::invalid_fields(&fields),
            E::NotFound(text) => ApiError::not_found_object(text),
            E::Client(error) => error.into(),
            E::FileTooLarge(most) => ApiError::file_too_large(most),
            E::InvitationFailed(refused) => ClientError::InvitationFailed {
                errors: json!(refused),
                sent: false,
                daily_limit_reached: false,
            }
            .into(),
            E::WrongCredentials => ApiError::wrong_credentials(),
            E::BadSignInLink => ApiError::bad_sign_in_link(),
            E::WrongOldPassword => ApiError::wrong_old_password(),
            E::WrongPassword => ApiError::wrong_password(),
            E::SpectatorAccessDisabled => ApiError::missing_credentials(),
        };
        answer.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spindle_domain::policy::Reason;

    #[test]
    fn causes_stay_out_of_the_answer() {
        let errors: [ActionError; 2] = [
            DbError::Failed("secret path".into()).into(),
            ActionError::Internal("secret path".into()),
        ];
        for error in errors {
            let failure = Failure::from(error);
            assert!(failure.cause.unwrap().contains("secret path"));
            let response = failure.answer.into_response();
            assert_eq!(response.status(), 500);
            assert!(!String::from_utf8_lossy(response.body()).contains("secret"));
        }
    }

    #[test]
    fn a_change_that_was_undone_for_another_one_may_be_tried_again() {
        let error = ActionError::from(DbError::TryAgain("secret path".into()));
        let response = Failure::from(error).answer.into_response();
        assert_eq!(response.status(), 503);
        assert_eq!(response.headers()["retry-after"], "1");
    }

    #[test]
    fn an_unreachable_database_is_named() {
        let error = ActionError::from(DbError::Unreachable("secret host".into()));
        let failure = Failure::from(error);
        assert!(failure.cause.unwrap().contains("secret host"));
        assert_eq!(failure.answer.status(), 503);
        assert_eq!(failure.answer.code().name(), "INTERNAL_SERVER_ERROR");
        let text = failure.answer.msg();
        assert!(text.starts_with("The database is unreachable"), "{text}");
        assert!(
            failure
                .answer
                .into_response()
                .headers()
                .contains_key("retry-after")
        );
    }

    #[test]
    fn a_full_disk_is_not_logged_with_each_request() {
        let failure = Failure::from(ActionError::from(DbError::Full("disk".into())));
        assert_eq!(failure.answer.status(), 503);
        assert_eq!(failure.cause, None);
    }

    #[test]
    fn refusals_have_no_cause_and_their_own_status() {
        let table = [
            (ActionError::Denied(Reason::NoAccess), 400),
            (ActionError::NotFound("x".into()), 404),
            (
                ClientError::BadEventQueueId {
                    queue_id: "q".into(),
                }
                .into(),
                400,
            ),
            (ClientError::AuthenticationFailed.into(), 401),
            (ActionError::SpectatorAccessDisabled, 401),
        ];
        for (error, status) in table {
            let failure = Failure::from(error);
            assert_eq!(failure.answer.status(), status);
            assert_eq!(failure.cause, None);
        }
    }
}
