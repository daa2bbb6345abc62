//! One constructor for each kind of error that a client can meet.

use super::{ApiError, Code, WrongGuess};
use http::StatusCode;
use http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Number, Value};
use spindle_domain::ChannelId;
use spindle_domain::narrow::ChannelReference;
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
    /// be stored, each with its texts. `msg` is the first of them (protocol-facts 2.14).
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

    /// 404 BAD_REQUEST: a personal object of the caller is missing (protocol-facts 1.4).
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

    /// 401 UNAUTHORIZED with the header that asks for Basic authentication. Says `msg`, which
    /// must not tell whether the account or the key was wrong.
    pub fn unauthorized(msg: impl Into<String>) -> Self {
        Self::new(Code::Unauthorized, msg).with_header(
            WWW_AUTHENTICATE,
            HeaderValue::from_static(r#"Basic realm="zulip""#),
        )
    }

    /// 401 UNAUTHORIZED: no credentials were sent.
    pub fn missing_credentials() -> Self {
        Self::unauthorized("Log in first: send the account's email and API key")
    }

    /// 401 UNAUTHORIZED: the credentials are no account's.
    pub fn wrong_credentials() -> Self {
        Self::unauthorized("These credentials are not valid")
    }

    /// 401 INVALID_API_KEY: a key that travels as a parameter is no incoming webhook's.
    pub fn invalid_api_key() -> Self {
        Self::new(Code::InvalidApiKey, "This API key is not valid here")
            .of_a_wrong_guess(WrongGuess::Key)
    }

    /// 400 MISSING_HTTP_EVENT_HEADER: a call does not say what kind of event it is about.
    pub fn missing_http_event_header(header: &str) -> Self {
        let text = format!("The header {header} must say what kind of event this is");
        Self::new(Code::MissingHttpEventHeader, text)
    }

    /// UNSUPPORTED_WEBHOOK_EVENT_TYPE, with status 200: nothing is wrong with the call, and to
    /// repeat it would change nothing (protocol-facts 1.6).
    pub fn unsupported_webhook_event_type(integration: &str) -> Self {
        let text = format!("{integration} calls about events of this kind are not understood");
        Self::new(Code::UnsupportedWebhookEventType, text)
    }

    /// 400 ANOMALOUS_WEBHOOK_PAYLOAD: the payload lacks what calls of this kind have.
    pub fn anomalous_webhook_payload(problem: &str) -> Self {
        let text = format!("This is not what such calls look like: {problem}");
        Self::new(Code::AnomalousWebhookPayload, text)
    }

    /// 401 AUTHENTICATION_FAILED: wrong user name or password (POST /fetch_api_key).
    pub fn authentication_failed() -> Self {
        Self::new(
            Code::AuthenticationFailed,
            "The user name or the password is wrong",
        )
        .of_a_wrong_guess(WrongGuess::Password)
    }

    /// 401 AUTHENTICATION_FAILED: a sign-in link that was never made, was used or is too old (POST
    /// /sessions).
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

    /// 401 USER_DEACTIVATED (POST /fetch_api_key).
    pub fn user_deactivated() -> Self {
        Self::new(Code::UserDeactivated, "This account has been deactivated")
    }

    /// 401 REALM_DEACTIVATED (POST /fetch_api_key).
    pub fn realm_deactivated() -> Self {
        Self::new(
            Code::RealmDeactivated,
            "This organization has been deactivated",
        )
    }

    /// 401 PASSWORD_AUTH_DISABLED (POST /fetch_api_key).
    pub fn password_auth_disabled() -> Self {
        Self::new(
            Code::PasswordAuthDisabled,
            "This organization does not use passwords",
        )
    }

    /// 400 UNAUTHORIZED_PRINCIPAL: the caller's role does not suffice.
    pub fn unauthorized_principal(msg: impl Into<String>) -> Self {
        Self::new(Code::UnauthorizedPrincipal, msg)
    }

    /// 400 REQUEST_VARIABLE_MISSING with `var_name`.
    pub fn variable_missing(name: &str) -> Self {
        Self::new(
            Code::RequestVariableMissing,
            format!("Parameter {name} is required"),
        )
        .with("var_name", name)
    }

    /// 400 BAD_REQUEST: a message to a channel has no parameter `topic`. Not
    /// REQUEST_VARIABLE_MISSING, since messages to people have none (protocol-facts 5.2).
    pub fn missing_topic() -> Self {
        Self::bad_request("Missing topic: a message to a channel names one, which may be empty")
    }

    /// 400 REQUEST_CONFUSING_VAR: one parameter under two names.
    pub fn confusing_variables(first: &str, second: &str) -> Self {
        Self::new(
            Code::RequestConfusingVar,
            format!("Send either {first} or {second}, not both"),
        )
        .with("var_name1", first)
        .with("var_name2", second)
    }

    /// 400 BAD_REQUEST with `parameters`: these exclude each other (protocol-facts 1.4).
    pub fn incompatible_parameters(names: &[&str]) -> Self {
        let list = names.join(", ");
        Self::bad_request(format!("Send only one of these: {list}")).with("parameters", list)
    }

    /// 400 BAD_EVENT_QUEUE_ID with `queue_id`: unknown, expired, deleted or somebody else's.
    pub fn bad_event_queue_id(queue_id: &str) -> Self {
        Self::new(
            Code::BadEventQueueId,
            format!("There is no event queue {queue_id}"),
        )
        .with("queue_id", queue_id)
    }

    /// 400 STREAM_DOES_NOT_EXIST with `stream_id` or `stream`, whichever the client sent.
    pub fn stream_does_not_exist(channel: &ChannelReference) -> Self {
        match channel {
            ChannelReference::Id(ChannelId(id)) => Self::new(
                Code::StreamDoesNotExist,
                format!("There is no channel {id}"),
            )
            .with("stream_id", *id),
            ChannelReference::Name(name) => Self::new(
                Code::StreamDoesNotExist,
                format!("There is no channel called '{name}'"),
            )
            .with("stream", name.as_str()),
        }
    }

    /// 400 BAD_NARROW with `desc`: what of the narrow makes no sense.
    pub fn bad_narrow(desc: impl Into<String>) -> Self {
        let desc = desc.into();
        Self::new(
            Code::BadNarrow,
            format!("The narrow cannot be used: {desc}"),
        )
        .with("desc", desc)
    }

    /// 400 BAD_IMAGE: the uploaded file is no picture that can be used; `msg` says why.
    pub fn bad_image(msg: impl Into<String>) -> Self {
        Self::new(Code::BadImage, msg)
    }

    /// 400 REALM_UPLOAD_QUOTA: the organization's files take all the space they may.
    pub fn realm_upload_quota() -> Self {
        Self::new(
            Code::RealmUploadQuota,
            "The organization has no room for this file",
        )
    }

    /// 400 EXPECTATION_MISMATCH: the value has changed since the client looked.
    pub fn expectation_mismatch() -> Self {
        Self::new(
            Code::ExpectationMismatch,
            "The current value is not the expected one",
        )
    }

    /// 400 MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: only a part of the topic is young enough to be
    /// moved; with the first message that is, and the numbers of all and of those.
    pub fn move_messages_time_limit_exceeded(first_allowed: i64, total: i64, allowed: i64) -> Self {
        Self::new(
            Code::MoveMessagesTimeLimitExceeded,
            "Some messages of this topic are too old to be moved",
        )
        .with("first_message_id_allowed_to_move", first_allowed)
        .with("total_messages_in_topic", total)
        .with("total_messages_allowed_to_move", allowed)
    }

    /// 400 SYSTEM_GROUP_REQUIRED with `setting_name`: only a system group may hold it.
    pub fn system_group_required(setting_name: &str) -> Self {
        Self::new(
            Code::SystemGroupRequired,
            format!("Only a system group may be given {setting_name}"),
        )
        .with("setting_name", setting_name)
    }

    /// 400 CANNOT_DEACTIVATE_GROUP_IN_USE with `objections`: a JSON list of where the group
    /// is used (protocol-facts 5.5).
    pub fn cannot_deactivate_group_in_use(objections: Value) -> Self {
        Self::new(
            Code::CannotDeactivateGroupInUse,
            "The group is used elsewhere and has to stay",
        )
        .with("objections", objections)
    }

    /// 400 CANNOT_DEACTIVATE_LAST_USER; `is_last_owner` tells what they are the last of.
    pub fn cannot_deactivate_last_user(is_last_owner: bool) -> Self {
        let entity = if is_last_owner { "owner" } else { "user" };
        Self::new(
            Code::CannotDeactivateLastUser,
            format!("The last {entity} of the organization has to stay"),
        )
        .with("is_last_owner", is_last_owner)
        .with("entity", entity)
    }

    /// 400 NO_ACTIVE_PUSH_DEVICE
    pub fn no_active_push_device() -> Self {
        Self::new(
            Code::NoActivePushDevice,
            "None of your phones is registered for notifications",
        )
    }

    /// 400 REACTION_ALREADY_EXISTS
    pub fn reaction_already_exists() -> Self {
        Self::new(
            Code::ReactionAlreadyExists,
            "You have put this emoji on the message already",
        )
    }

    /// 400 REACTION_DOES_NOT_EXIST
    pub fn reaction_does_not_exist() -> Self {
        Self::new(
            Code::ReactionDoesNotExist,
            "You have not put this emoji on the message",
        )
    }

    /// 400 INVITATION_FAILED: nobody was invited, or (`sent`) only those who are not in `errors`,
    /// a list of address, text, and whether it is that of a deactivated account.
    pub fn invitation_failed(errors: Value, sent: bool, daily_limit_reached: bool) -> Self {
        let text = match (sent, daily_limit_reached) {
            (true, _) => "Some addresses were not invited; all others were",
            (false, true) => "You have made too many invitations today, so nobody was invited",
            (false, false) => "Nobody was invited; see what is wrong with each address",
        };
        Self::new(Code::InvitationFailed, text)
            .with("errors", errors)
            .with("sent_invitations", sent)
            .with("daily_limit_reached", daily_limit_reached)
            .with("license_limit_reached", false)
    }

    /// 400 STREAM_WILDCARD_MENTION_NOT_ALLOWED
    pub fn stream_wildcard_mention_not_allowed() -> Self {
        Self::new(
            Code::StreamWildcardMentionNotAllowed,
            "You may not mention everybody in this channel",
        )
    }

    /// 400 TOPIC_WILDCARD_MENTION_NOT_ALLOWED
    pub fn topic_wildcard_mention_not_allowed() -> Self {
        Self::new(
            Code::TopicWildcardMentionNotAllowed,
            "You may not mention everybody in this topic",
        )
    }

    /// 503 with the header `Retry-After`, as the host answers when there is no room.
    pub fn overloaded() -> Self {
        let text = "The server is too busy; please try again";
        Self::new(Code::InternalServerError, text)
            .with_status(StatusCode::SERVICE_UNAVAILABLE)
            .with_header(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// 429 RATE_LIMIT_HIT with `retry-after` (seconds, fractional) and the header.
    pub fn rate_limited(retry_after: f64) -> Self {
        let seconds = if retry_after.is_finite() {
            retry_after.clamp(0.0, 86_400.0)
        } else {
            0.0
        };
        // The header holds whole seconds; rounding down would invite a request too early.
        let whole = HeaderValue::from_str(&format!("{:.0}", seconds.ceil()));
        let number = Number::from_f64(seconds).map_or(Value::from(0), Value::Number);
        let error = Self::new(Code::RateLimitHit, "Too many requests; please slow down")
            .with("retry-after", number);
        match whole {
            Ok(value) => error.with_header(RETRY_AFTER, value),
            Err(_) => error,
        }
    }

    /// 503 STORAGE_FULL: the disk has no room, and nothing has changed. The operator is told elsewhere.
    pub fn storage_full() -> Self {
        Self::new(
            Code::StorageFull,
            "The server has no room to store this; please try again later",
        )
        .with_header(RETRY_AFTER, HeaderValue::from_static("10"))
    }

    /// 500 INTERNAL_SERVER_ERROR. The cause belongs into the log, not here.
    pub fn internal() -> Self {
        Self::new(
            Code::InternalServerError,
            "The server failed to handle this request",
        )
    }

    /// 503 with `Retry-After`: nothing has changed, and the same request may succeed.
    pub fn try_again() -> Self {
        Self::new(
            Code::InternalServerError,
            "The server is too busy; please try again",
        )
        .with_status(StatusCode::SERVICE_UNAVAILABLE)
        .with_header(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    /// The error for a denied permission (protocol-facts 1.4).
    ///
    /// `NoAccess` must be worded like a missing object by callers that would otherwise leak
    /// its existence; the text here names no object for that reason.
    pub fn denied(reason: Reason) -> Self {
        match reason {
            Reason::NotLoggedIn => Self::missing_credentials(),
            Reason::GuestsExcluded => Self::bad_request("Guests may not do this"),
            Reason::BotsExcluded => Self::bad_request("Bots may not do this"),
            Reason::AdministratorRequired => {
                Self::unauthorized_principal("An organization administrator is required")
            }
            Reason::OwnerRequired => {
                Self::unauthorized_principal("An organization owner is required")
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
            Reason::CannotAdministerChannel => Self::new(
                Code::CannotAdministerChannel,
                "You do not administer this channel",
            ),
            Reason::ContentAccessRequired => {
                Self::bad_request("Only those who can read this channel may do this")
            }
            Reason::ChannelArchived => Self::bad_request("This channel is archived"),
            Reason::TopicCreationExcluded => {
                Self::bad_request("You may not start topics in this channel")
            }
            Reason::TooLate => Self::bad_request("The message is too old for this change"),
            Reason::DirectMessagesDisabled => {
                Self::bad_request("Direct messages are switched off in this organization")
            }
            Reason::DirectMessageInitiationExcluded => {
                Self::bad_request("You may not start this direct conversation")
            }
        }
    }
}
