//! From the errors of actions and of the database to the errors that clients see.
//!
//! Owns that one table. The cause of an internal error stays with the [`Failure`] until it is
//! logged; it must never get into an answer.

use serde_json::json;
use spindle_actions::ActionError;
use spindle_store::DbError;
use spindle_wire::ApiError;

/// Why an operation does not succeed: what the client is told, and what the log is told.
#[derive(Debug)]
pub struct Failure {
    /// The answer.
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

impl From<DbError> for Failure {
    fn from(cause: DbError) -> Self {
        match cause {
            // The host says so once, not with each request.
            DbError::Full(_) => ApiError::storage_full().into(),
            DbError::TryAgain(_) => Self {
                answer: ApiError::try_again(),
                cause: Some(cause.to_string()),
            },
            DbError::Overloaded(_) => ApiError::overloaded().into(),
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
            E::StreamDoesNotExist(channel) => ApiError::stream_does_not_exist(&channel),
            E::BadNarrow(description) => ApiError::bad_narrow(description),
            E::BadEventQueueId(queue_id) => ApiError::bad_event_queue_id(&queue_id),
            E::StreamWildcardMentionNotAllowed => ApiError::stream_wildcard_mention_not_allowed(),
            E::TopicWildcardMentionNotAllowed => ApiError::topic_wildcard_mention_not_allowed(),
            E::ExpectationMismatch => ApiError::expectation_mismatch(),
            E::MoveMessagesTimeLimitExceeded {
                first_allowed,
                total,
                allowed,
            } => ApiError::move_messages_time_limit_exceeded(first_allowed, total, allowed),
            E::SystemGroupRequired(name) => ApiError::system_group_required(name),
            E::CannotDeactivateGroupInUse(objections) => {
                ApiError::cannot_deactivate_group_in_use(objections)
            }
            E::FileTooLarge(most) => ApiError::file_too_large(most),
            E::UploadQuota => ApiError::realm_upload_quota(),
            E::CannotDeactivateLastOwner => ApiError::cannot_deactivate_last_user(true),
            E::CannotDeactivateLastUser => ApiError::cannot_deactivate_last_user(false),
            E::InvitationFailed(refused) => {
                ApiError::invitation_failed(json!(refused), false, false)
            }
            E::TooManyInvitations => ApiError::invitation_failed(json!([]), false, true),
            E::NoActivePushDevice => ApiError::no_active_push_device(),
            E::ReactionAlreadyExists => ApiError::reaction_already_exists(),
            E::ReactionDoesNotExist => ApiError::reaction_does_not_exist(),
            E::RateLimited(seconds) => ApiError::rate_limited(seconds as f64),
            E::WrongCredentials => ApiError::wrong_credentials(),
            E::AuthenticationFailed => ApiError::authentication_failed(),
            E::BadSignInLink => ApiError::bad_sign_in_link(),
            E::WrongOldPassword => ApiError::wrong_old_password(),
            E::UserDeactivated => ApiError::user_deactivated(),
            E::RealmDeactivated => ApiError::realm_deactivated(),
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
            (ActionError::BadEventQueueId("q".into()), 400),
            (ActionError::AuthenticationFailed, 401),
            (ActionError::SpectatorAccessDisabled, 401),
        ];
        for (error, status) in table {
            let failure = Failure::from(error);
            assert_eq!(failure.answer.status(), status);
            assert_eq!(failure.cause, None);
        }
    }
}
