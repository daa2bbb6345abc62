//! Constructors of errors that have no row of their own in the table of codes: forms of `BAD_REQUEST`, other texts and
//! statuses of a code, and refusals of the domain's rules.

use super::{ApiError, ClientError, Code, Dependency, WrongGuess};
use http::StatusCode;
use http::header::{ALLOW, HeaderValue};
use serde_json::Value;
use spindle_domain::policy::Reason;

impl ApiError {
    /// 400 BAD_REQUEST: a value or a rule of the operation is not met. `msg` is for people.
    pub fn bad_request(msg: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, msg)
    }

    /// 400 BAD_REQUEST about one parameter; `path` names it, with the place inside of it,
    /// such as `narrow[0]["operator"]`.
    pub fn bad_parameter(path: &str, problem: impl std::fmt::Display) -> Self {
        Self::bad_request(format!("Parameter {path}: {problem}"))
    }

    /// 400 BAD_REQUEST with `errors`: fields of an object (`__all__`: the object) that cannot
    /// be stored, each with its texts. `msg` is the first of them
    /// (docs/protocol/linkifiers.md#add_linkifier).
    pub fn invalid_fields(problems: &[(&'static str, String)]) -> Self {
        let mut errors = serde_json::Map::new();
        for (field, text) in problems {
            let texts = errors.entry(*field).or_insert_with(|| Value::Array(vec![]));
            if let Value::Array(texts) = texts {
                texts.push(Value::from(text.as_str()));
            }
        }
        let first = problems.first().map_or("", |(_, text)| text.as_str());
        Self::bad_request(first).with("errors", errors)
    }

    /// 404 BAD_REQUEST: a personal object of the caller is missing
    /// (docs/protocol/errors.md#statuses).
    pub fn not_found_object(msg: impl Into<String>) -> Self {
        Self::bad_request(msg).with_status(StatusCode::NOT_FOUND)
    }

    /// 404 BAD_REQUEST: no operation has this path.
    pub fn no_such_route() -> Self {
        Self::not_found_object("There is nothing at this address")
    }

    /// 405 BAD_REQUEST with `allowed_methods` and the header `Allow`; `allowed` are verbs in
    /// upper case.
    pub fn method_not_allowed(allowed: &[&str]) -> Self {
        let error = Self::bad_request("This address does not answer to that method")
            .with_status(StatusCode::METHOD_NOT_ALLOWED)
            .with("allowed_methods", allowed.to_vec());
        match HeaderValue::from_str(&allowed.join(", ")) {
            Ok(value) => error.with_header(ALLOW, value),
            Err(_) => error,
        }
    }

    /// 413 BAD_REQUEST: the body is larger than the server reads.
    pub fn payload_too_large() -> Self {
        Self::bad_request("The request is too large").with_status(StatusCode::PAYLOAD_TOO_LARGE)
    }

    /// 401 UNAUTHORIZED with the header that asks for Basic authentication. Says `msg`, which must
    /// not say whether the account or the key was wrong.
    pub fn unauthorized(msg: impl Into<String>) -> Self {
        ClientError::Unauthorized { text: msg.into() }.into()
    }

    /// 401 UNAUTHORIZED: no credentials were sent.
    pub fn missing_credentials() -> Self {
        Self::unauthorized("Log in first: send the account's email and API key")
    }

    /// 401 UNAUTHORIZED: no account has these credentials.
    pub fn wrong_credentials() -> Self {
        Self::unauthorized("These credentials are not valid")
    }

    /// 401 AUTHENTICATION_FAILED: a sign-in link that was never issued, was used or has expired
    /// (POST /sessions).
    pub fn bad_sign_in_link() -> Self {
        Self::new(
            Code::AuthenticationFailed,
            "This sign-in link does not work: it is too old, or was used before",
        )
        .of_a_wrong_guess(WrongGuess::Key)
    }

    /// 400 for a wrong password of an account that is known (PATCH /settings).
    pub fn wrong_old_password() -> Self {
        Self::bad_request("old_password is wrong").of_a_wrong_guess(WrongGuess::Password)
    }

    /// 400 for a wrong password of a caller who proves themselves with it (POST /second_factor/totp).
    pub fn wrong_password() -> Self {
        Self::bad_request("password is wrong").of_a_wrong_guess(WrongGuess::Password)
    }

    /// 400 REQUEST_VARIABLE_MISSING with `var_name`.
    pub fn variable_missing(name: &str) -> Self {
        let name = name.to_owned();
        ClientError::RequestVariableMissing { name }.into()
    }

    /// 400 BAD_REQUEST: a message to a channel has no parameter `topic`. Not
    /// REQUEST_VARIABLE_MISSING, since messages to people have none
    /// (docs/protocol/messages.md#send_message).
    pub fn missing_topic() -> Self {
        Self::bad_request("Missing topic: a message to a channel names one, which may be empty")
    }

    /// 400 BAD_REQUEST with `parameters`: these exclude each other
    /// (docs/protocol/errors.md#statuses).
    pub fn incompatible_parameters(names: &[&str]) -> Self {
        let list = names.join(", ");
        Self::bad_request(format!("Send only one of these: {list}")).with("parameters", list)
    }

    /// 429 RATE_LIMIT_HIT with `retry-after` (seconds, fractional) and the header.
    pub fn rate_limited(retry_after: f64) -> Self {
        let retry_after = if retry_after.is_finite() {
            retry_after.clamp(0.0, 86_400.0)
        } else {
            0.0
        };
        ClientError::RateLimitHit { retry_after }.into()
    }

    /// 500 INTERNAL_SERVER_ERROR. The cause belongs into the log, not here.
    pub fn internal() -> Self {
        ClientError::InternalServerError.into()
    }

    /// 503 with `Retry-After`: nothing has changed, and the same request may succeed later. The
    /// host answers the same when its memory budget is used up.
    pub fn try_again() -> Self {
        Self::unavailable("The server is too busy; please try again")
    }

    /// 503 with `Retry-After`: the server does not reach a service that it depends on.
    pub fn unreachable(service: Dependency) -> Self {
        Self::unavailable(service.text())
    }

    fn unavailable(text: &str) -> Self {
        Self::new(Code::InternalServerError, text)
            .with_status(StatusCode::SERVICE_UNAVAILABLE)
            .with_retry_after("1")
    }

    /// The error for a denied permission (docs/protocol/errors.md#statuses).
    ///
    /// `NoAccess` must be worded like a missing object by callers that would otherwise leak
    /// its existence; the text here names no object for that reason.
    pub fn denied(reason: Reason) -> Self {
        match reason {
            Reason::NotLoggedIn => Self::missing_credentials(),
            Reason::GuestsExcluded => Self::bad_request("Guests may not do this"),
            Reason::BotsExcluded => Self::bad_request("Bots may not do this"),
            Reason::AdministratorRequired => Self::new(
                Code::UnauthorizedPrincipal,
                "An organization administrator is required",
            ),
            Reason::OwnerRequired => Self::new(
                Code::UnauthorizedPrincipal,
                "An organization owner is required",
            ),
            Reason::InsufficientScope(needed) => ClientError::InsufficientScope { needed }.into(),
            Reason::KeysExcluded => {
                Self::bad_request("This organization does not let you make API keys")
            }
            Reason::NoAccess => Self::bad_request("It does not exist, or you may not see it"),
            Reason::InsufficientPermission => {
                Self::bad_request("You do not have the permission for this")
            }
            Reason::ExportOfEverything => Self::bad_request(
                "An export of everything is for owners, and only while the organization's setting \
                 owner_full_content_access is on; full_with_consent needs neither",
            ),
            Reason::LastOwner => Self::bad_request("The organization needs an owner"),
            Reason::GuestToAdministrator => {
                Self::bad_request("A guest cannot be made an administrator")
            }
            Reason::CannotAdministerChannel => ClientError::CannotAdministerChannel.into(),
            Reason::ContentAccessRequired => {
                Self::bad_request("Only people who can read this channel may do this")
            }
            Reason::ChannelArchived => Self::bad_request("This channel is archived"),
            Reason::TopicCreationExcluded => {
                Self::bad_request("You may not start topics in this channel")
            }
            Reason::TooLate => Self::bad_request("The message is too old for this change"),
            Reason::DirectMessagesDisabled => {
                Self::bad_request("Direct messages are disabled in this organization")
            }
            Reason::DirectMessageInitiationExcluded => {
                Self::bad_request("You may not start this direct conversation")
            }
        }
    }
}
