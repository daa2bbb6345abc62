//! Why an action did not happen: the one error type of this crate.
//!
//! Variants carry what the answer needs (status and code are chosen by the wire crate).
//! Nothing was changed when an action returns an error. Texts of [`ActionError::Store`] and
//! [`ActionError::Internal`] are for the log only.

use serde::Serialize;
use spindle_domain::narrow::ChannelReference;
use spindle_domain::policy::Reason;
use spindle_store::DbError;

/// The error of every action.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] DbError),
    /// Something else that no caller can help.
    #[error("internal error: {0}")]
    Internal(String),
    /// A rule refuses.
    #[error("refused: {0:?}")]
    Denied(Reason),
    /// The request makes no sense as it stands; the text is for the client.
    #[error("{0}")]
    BadRequest(String),
    /// Fields of an object that cannot be stored: name (or `__all__`) and text of each problem.
    #[error("invalid fields: {0:?}")]
    Invalid(Vec<(&'static str, String)>),
    /// An object of the caller's own is missing (404); the text is for the client.
    #[error("{0}")]
    NotFound(String),
    /// STREAM_DOES_NOT_EXIST: there is no such channel, or the caller may not know of it.
    #[error("no such channel: {0:?}")]
    StreamDoesNotExist(ChannelReference),
    /// BAD_NARROW, with its description.
    #[error("bad narrow: {0}")]
    BadNarrow(String),
    /// BAD_EVENT_QUEUE_ID, with the id.
    #[error("no such queue: {0}")]
    BadEventQueueId(String),
    /// STREAM_WILDCARD_MENTION_NOT_ALLOWED
    #[error("too many people for a mention of the whole channel")]
    StreamWildcardMentionNotAllowed,
    /// TOPIC_WILDCARD_MENTION_NOT_ALLOWED
    #[error("too many people for a mention of the whole topic")]
    TopicWildcardMentionNotAllowed,
    /// EXPECTATION_MISMATCH: the value has changed since the client looked.
    #[error("the value is not the expected one")]
    ExpectationMismatch,
    /// MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: only the newer messages of a topic may be moved.
    #[error("only {allowed} of {total} messages may be moved")]
    MoveMessagesTimeLimitExceeded {
        /// The oldest message that may be moved.
        first_allowed: i64,
        /// Messages of the topic that the actor may read.
        total: i64,
        /// Those of them that may be moved.
        allowed: i64,
    },
    /// SYSTEM_GROUP_REQUIRED, with the name of the permission.
    #[error("only a system group may be given {0}")]
    SystemGroupRequired(&'static str),
    /// CANNOT_DEACTIVATE_GROUP_IN_USE, with a JSON list of where the group is used.
    #[error("the group is used elsewhere")]
    CannotDeactivateGroupInUse(serde_json::Value),
    /// A file is larger than the organization allows (413); with the most bytes that it allows.
    #[error("a file can have {0} bytes at most")]
    FileTooLarge(i64),
    /// REALM_UPLOAD_QUOTA
    #[error("the organization's files take all the space they may")]
    UploadQuota,
    /// CANNOT_DEACTIVATE_LAST_USER, with `is_last_owner`
    #[error("the last owner cannot go")]
    CannotDeactivateLastOwner,
    /// CANNOT_DEACTIVATE_LAST_USER, when nobody at all would be left
    #[error("the last user cannot go")]
    CannotDeactivateLastUser,
    /// INVITATION_FAILED: nobody was invited, because of these addresses.
    #[error("nobody was invited: {0:?}")]
    InvitationFailed(Vec<RefusedAddress>),
    /// INVITATION_FAILED: the inviter has made too many invitations lately.
    #[error("too many invitations in a day")]
    TooManyInvitations,
    /// REACTION_ALREADY_EXISTS
    #[error("the emoji is on the message already")]
    ReactionAlreadyExists,
    /// REACTION_DOES_NOT_EXIST
    #[error("the emoji is not on the message")]
    ReactionDoesNotExist,
    /// NO_ACTIVE_PUSH_DEVICE
    #[error("no phone can be reached")]
    NoActivePushDevice,
    /// RATE_LIMIT_HIT (429), with the seconds until the same change is allowed again.
    #[error("too many changes in too short a time")]
    RateLimited(i64),
    /// Missing or wrong credentials (401 UNAUTHORIZED).
    #[error("wrong credentials")]
    WrongCredentials,
    /// Wrong user name or password (401 AUTHENTICATION_FAILED).
    #[error("wrong user name or password")]
    AuthenticationFailed,
    /// A sign-in link that was never made, was used, or is too old (401 AUTHENTICATION_FAILED).
    #[error("no such sign-in link")]
    BadSignInLink,
    /// The password that a new one is to replace is another one (400).
    #[error("wrong old password")]
    WrongOldPassword,
    /// The account was deactivated (401 USER_DEACTIVATED).
    #[error("the account is deactivated")]
    UserDeactivated,
    /// The organization was deactivated (401 REALM_DEACTIVATED).
    #[error("the organization is deactivated")]
    RealmDeactivated,
    /// The organization does not admit anonymous visitors (401 UNAUTHORIZED).
    #[error("anonymous access is switched off")]
    SpectatorAccessDisabled,
}

/// An address that was not invited. On the wire: a list of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedAddress(
    /// As it was sent.
    pub String,
    /// What is wrong with it.
    pub String,
    /// Whether it is that of a deactivated account.
    pub bool,
);

impl From<Reason> for ActionError {
    fn from(reason: Reason) -> Self {
        Self::Denied(reason)
    }
}

impl ActionError {
    /// A [`ActionError::BadRequest`].
    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        Self::BadRequest(text.into())
    }

    /// A [`ActionError::Invalid`] about one field.
    pub(crate) fn invalid(field: &'static str, text: impl Into<String>) -> Self {
        Self::Invalid(vec![(field, text.into())])
    }
}
