//! The table of codes: name on the wire and HTTP status (protocol-facts 1.4, 1.6).

use http::StatusCode;

/// Machine-readable kind of an error. Clients branch on it, never on the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// `ANOMALOUS_WEBHOOK_PAYLOAD`
    AnomalousWebhookPayload,
    /// `AUTHENTICATION_FAILED`
    AuthenticationFailed,
    /// `BAD_EVENT_QUEUE_ID`
    BadEventQueueId,
    /// `BAD_IMAGE`
    BadImage,
    /// `BAD_NARROW`
    BadNarrow,
    /// `BAD_REQUEST`: everything without a code of its own.
    BadRequest,
    /// `CANNOT_ADMINISTER_CHANNEL`
    CannotAdministerChannel,
    /// `CANNOT_DEACTIVATE_GROUP_IN_USE`
    CannotDeactivateGroupInUse,
    /// `CANNOT_DEACTIVATE_LAST_USER`
    CannotDeactivateLastUser,
    /// `EXPECTATION_MISMATCH`
    ExpectationMismatch,
    /// `INTERNAL_SERVER_ERROR`
    InternalServerError,
    /// `INVALID_API_KEY`: of a key that travels as a parameter.
    InvalidApiKey,
    /// `INVITATION_FAILED`
    InvitationFailed,
    /// `MISSING_HTTP_EVENT_HEADER`
    MissingHttpEventHeader,
    /// `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`
    MoveMessagesTimeLimitExceeded,
    /// `NO_ACTIVE_PUSH_DEVICE`
    NoActivePushDevice,
    /// `PASSWORD_AUTH_DISABLED`
    PasswordAuthDisabled,
    /// `RATE_LIMIT_HIT`
    RateLimitHit,
    /// `REACTION_ALREADY_EXISTS`
    ReactionAlreadyExists,
    /// `REACTION_DOES_NOT_EXIST`
    ReactionDoesNotExist,
    /// `REALM_DEACTIVATED`
    RealmDeactivated,
    /// `REALM_UPLOAD_QUOTA`
    RealmUploadQuota,
    /// `REQUEST_CONFUSING_VAR`
    RequestConfusingVar,
    /// `REQUEST_VARIABLE_MISSING`
    RequestVariableMissing,
    /// `STORAGE_FULL`: nothing can be stored now.
    StorageFull,
    /// `STREAM_DOES_NOT_EXIST`
    StreamDoesNotExist,
    /// `STREAM_WILDCARD_MENTION_NOT_ALLOWED`
    StreamWildcardMentionNotAllowed,
    /// `SYSTEM_GROUP_REQUIRED`
    SystemGroupRequired,
    /// `TOPIC_WILDCARD_MENTION_NOT_ALLOWED`
    TopicWildcardMentionNotAllowed,
    /// `UNAUTHORIZED`
    Unauthorized,
    /// `UNAUTHORIZED_PRINCIPAL`
    UnauthorizedPrincipal,
    /// `UNSUPPORTED_WEBHOOK_EVENT_TYPE`: status 200, so that the program that calls does not try again.
    UnsupportedWebhookEventType,
    /// `USER_DEACTIVATED`
    UserDeactivated,
}

impl Code {
    /// Every code, for tests and documents.
    pub const ALL: [Self; 33] = [
        Self::AnomalousWebhookPayload,
        Self::AuthenticationFailed,
        Self::BadEventQueueId,
        Self::BadImage,
        Self::BadNarrow,
        Self::BadRequest,
        Self::CannotAdministerChannel,
        Self::CannotDeactivateGroupInUse,
        Self::CannotDeactivateLastUser,
        Self::ExpectationMismatch,
        Self::InternalServerError,
        Self::InvalidApiKey,
        Self::InvitationFailed,
        Self::MissingHttpEventHeader,
        Self::MoveMessagesTimeLimitExceeded,
        Self::NoActivePushDevice,
        Self::PasswordAuthDisabled,
        Self::RateLimitHit,
        Self::ReactionAlreadyExists,
        Self::ReactionDoesNotExist,
        Self::RealmDeactivated,
        Self::RealmUploadQuota,
        Self::RequestConfusingVar,
        Self::RequestVariableMissing,
        Self::StorageFull,
        Self::StreamDoesNotExist,
        Self::StreamWildcardMentionNotAllowed,
        Self::SystemGroupRequired,
        Self::TopicWildcardMentionNotAllowed,
        Self::Unauthorized,
        Self::UnauthorizedPrincipal,
        Self::UnsupportedWebhookEventType,
        Self::UserDeactivated,
    ];

    const fn row(self) -> (&'static str, StatusCode) {
        use StatusCode as S;
        match self {
            Self::AnomalousWebhookPayload => ("ANOMALOUS_WEBHOOK_PAYLOAD", S::BAD_REQUEST),
            Self::AuthenticationFailed => ("AUTHENTICATION_FAILED", S::UNAUTHORIZED),
            Self::BadEventQueueId => ("BAD_EVENT_QUEUE_ID", S::BAD_REQUEST),
            Self::BadImage => ("BAD_IMAGE", S::BAD_REQUEST),
            Self::BadNarrow => ("BAD_NARROW", S::BAD_REQUEST),
            Self::BadRequest => ("BAD_REQUEST", S::BAD_REQUEST),
            Self::CannotAdministerChannel => ("CANNOT_ADMINISTER_CHANNEL", S::BAD_REQUEST),
            Self::CannotDeactivateGroupInUse => ("CANNOT_DEACTIVATE_GROUP_IN_USE", S::BAD_REQUEST),
            Self::CannotDeactivateLastUser => ("CANNOT_DEACTIVATE_LAST_USER", S::BAD_REQUEST),
            Self::ExpectationMismatch => ("EXPECTATION_MISMATCH", S::BAD_REQUEST),
            Self::InternalServerError => ("INTERNAL_SERVER_ERROR", S::INTERNAL_SERVER_ERROR),
            Self::InvalidApiKey => ("INVALID_API_KEY", S::UNAUTHORIZED),
            Self::InvitationFailed => ("INVITATION_FAILED", S::BAD_REQUEST),
            Self::MissingHttpEventHeader => ("MISSING_HTTP_EVENT_HEADER", S::BAD_REQUEST),
            Self::MoveMessagesTimeLimitExceeded => {
                ("MOVE_MESSAGES_TIME_LIMIT_EXCEEDED", S::BAD_REQUEST)
            }
            Self::NoActivePushDevice => ("NO_ACTIVE_PUSH_DEVICE", S::BAD_REQUEST),
            Self::PasswordAuthDisabled => ("PASSWORD_AUTH_DISABLED", S::UNAUTHORIZED),
            Self::RateLimitHit => ("RATE_LIMIT_HIT", S::TOO_MANY_REQUESTS),
            Self::ReactionAlreadyExists => ("REACTION_ALREADY_EXISTS", S::BAD_REQUEST),
            Self::ReactionDoesNotExist => ("REACTION_DOES_NOT_EXIST", S::BAD_REQUEST),
            Self::RealmDeactivated => ("REALM_DEACTIVATED", S::UNAUTHORIZED),
            Self::RealmUploadQuota => ("REALM_UPLOAD_QUOTA", S::BAD_REQUEST),
            Self::RequestConfusingVar => ("REQUEST_CONFUSING_VAR", S::BAD_REQUEST),
            Self::RequestVariableMissing => ("REQUEST_VARIABLE_MISSING", S::BAD_REQUEST),
            Self::StorageFull => ("STORAGE_FULL", S::SERVICE_UNAVAILABLE),
            Self::StreamDoesNotExist => ("STREAM_DOES_NOT_EXIST", S::BAD_REQUEST),
            Self::StreamWildcardMentionNotAllowed => {
                ("STREAM_WILDCARD_MENTION_NOT_ALLOWED", S::BAD_REQUEST)
            }
            Self::SystemGroupRequired => ("SYSTEM_GROUP_REQUIRED", S::BAD_REQUEST),
            Self::TopicWildcardMentionNotAllowed => {
                ("TOPIC_WILDCARD_MENTION_NOT_ALLOWED", S::BAD_REQUEST)
            }
            Self::Unauthorized => ("UNAUTHORIZED", S::UNAUTHORIZED),
            // 400, not 403: the caller is known, the request is what cannot be granted.
            Self::UnauthorizedPrincipal => ("UNAUTHORIZED_PRINCIPAL", S::BAD_REQUEST),
            Self::UnsupportedWebhookEventType => ("UNSUPPORTED_WEBHOOK_EVENT_TYPE", S::OK),
            Self::UserDeactivated => ("USER_DEACTIVATED", S::UNAUTHORIZED),
        }
    }

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// HTTP status, unless the constructor of an error says otherwise.
    pub const fn status(self) -> StatusCode {
        self.row().1
    }
}
